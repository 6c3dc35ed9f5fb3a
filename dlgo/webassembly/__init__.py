"""Kernels outside Python: in a page, a worker or node, as WebAssembly.

    compiler.py    compiles kernels into one module
    memory.py      arguments of kernels, as the memory of that module
    runtime.mjs    loads both in JavaScript, and calls the kernels

    module = compile_kernels({"rollouts": (rollouts, argument_types(arguments))})
    image = lay_out({"rollouts": (rollouts, arguments)})

`load` in runtime.mjs takes `module.code`, the `image.parts()` one after the other, and
`describe(module, image)`; then
`program.call("rollouts", { n: 1000 })` calls the kernel with these arguments and another `n`.
"""
