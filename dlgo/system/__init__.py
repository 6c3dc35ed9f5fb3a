"""What depends on the operating system: processes and their end, locks, pipes, command lines.

Everything else asks these few functions, and never which system it runs on. Where a system cannot
do something, the function says so and does less:

| | Linux | macOS | Windows |
|---|---|---|---|
| nothing outlives its starter | a reaper, which adopts orphans | a reaper | a job object |
| CPU time of a program | with ended descendants | of living descendants | of living descendants |
| its resolution | nanoseconds | microseconds | 16 ms |
| memory limits | the kernel's, and looks from outside | looks from outside | looks from outside |
| a copy of a process (fork) | yes | yes | no |

The sandbox for untrusted code needs Linux and is in `engines/programs/sandbox.py`.
"""
