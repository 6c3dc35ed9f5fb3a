"""Attacks on the grader, one an entry: what a hand-in for `ko` holds, and what its feedback says.

Each earns nothing, or what constant answers earn. What is at the top of the file runs when it is
loaded; its success is raised as `got ...`. `forge(text)` answers everything with a JSON text.
"""

# ruff: noqa: E501

from __future__ import annotations

# Reaches the code that answers for the hand-in, which lies further up in the stack.
FORGE = """
import os, struct, sys
f = sys._getframe()
while 'to_plain' not in f.f_globals: f = f.f_back
Server = f.f_globals['Server']
write = Server.tell.__globals__['write_frame']
def forge(text): Server.tell = lambda self, message: write(self.answers, text.encode())
def raw(data): Server.tell = lambda self, message: os.write(self.answers, data)
def forbidden(*_): return 1
"""
WALK = """
import os
def files():
    for top in os.listdir('/'):
        if top not in ('proc', 'sys', 'dev'):
            for folder, folders, names in os.walk('/' + top):
                yield folder, folders, names
"""
GOT = "raise RuntimeError('got ' + repr(got)[:200]) if got else SystemError('nothing')\n"
NOTHING, NONSENSE = "SystemError: nothing", "no answer, or a far too long one"
TRUE = 'forge(\'{"value": true}\')\n'

# Name: (code, words of the feedback).
ATTACKS: dict[str, tuple[str, str]] = {
    # Solutions and checks
    "solution_imported": ("from experiments.classroom.exercises.ko import forbidden",
                          "No module named 'experiments"),
    "checks_imported": ("import experiments.classroom.checks", "No module named 'experiments"),
    "library_imported": ("from dlgo.games import get_game", "No module named 'dlgo'"),
    "engines_imported": ("import engines.registry", "No module named 'engines'"),
    "site_packages_added": ("import site; site.main(); import experiments.classroom.exercises.ko",
                            "No module named 'experiments"),
    "packages_guessed": ("import sys, glob\nsys.path += glob.glob(sys.prefix + '/**/*-packages', "
                         "recursive=True)\nimport experiments", "No module named 'experiments"),
    "parents_paths_tried": ("import os, sys, pathlib\nfor p in list(sys.path) + [sys.executable]:\n"
                            "    sys.path += map(str, pathlib.Path(p).parents)\n"
                            "import experiments", "No module named 'experiments"),
    "disk_walked": (WALK + "got = [(f, n) for f, _, names in files() for n in names if n.endswith("
                    "'.py') and os.path.exists(f'{f}/{n}') and b'BEGIN SOL' + b'UTION' in open(f'{f}/{n}', 'rb').read()"
                    " and n != 'ko.py']\n" + GOT, NOTHING),
    "names_sought": (WALK + "got = [(f, n) for f, d, names in files() for n in d + names if n in "
                     "('.git', 'experiments', 'exercises', 'checks.py', 'hand-ins', 'grades.json')]"
                     "\n" + GOT, NOTHING),
    "bytecode_sought": (WALK + "got = [n for _, _, names in files() for n in names if "
                        "n.startswith(('ko.cpython', 'checks.cpython'))]\n" + GOT, NOTHING),
    "others_read": ("import os\nplace = os.path.dirname(os.path.dirname(__file__))\n"
                    "got = [n for n in os.listdir(os.path.dirname(place)) if n.startswith('hand-in')"
                    "][1:] + os.listdir(place)[1:]\n" + GOT, NOTHING),
    "packages_of_python_read": ("import os\nfolder = os.path.dirname(os.__file__)\ngot = [os.listdir"
                                "(f'{folder}/site-packages')] if os.path.isdir(f'{folder}/"
                                "site-packages') else []\ngot = [n for n in sum(got, []) if not "
                                "n.startswith('numpy')]\n" + GOT, NOTHING),
    "other_packages_imported": ("import numpy, jinja2", "No module named 'jinja2'"),
    "objects_sought": ("import gc\ngot = [o for o in gc.get_objects() if 'exercises' in str("
                       "getattr(o, '__module__', ''))]\n" + GOT, NOTHING),
    "descriptors_read": ("import os\ngot = [t for t in (os.readlink(f'/proc/self/fd/{n}') for n in "
                         "os.listdir('/proc/self/fd') if os.path.lexists(f'/proc/self/fd/{n}'))"
                         " if not t.startswith(('pipe:', '/dev/null', '/proc/'))]\n" + GOT, NOTHING),
    "parents_memory": ("import os\ngot = []\nfor pid in (1, os.getppid()):\n"
                       "    for name in ('mem', 'environ', 'root/etc/passwd', 'cwd/setup.py'):\n"
                       "        try: got += [open(f'/proc/{pid}/{name}', 'rb').read(9)] * ("
                       "name != 'environ')\n        except OSError: pass\n" + GOT, NOTHING),
    "environment_read": ("import os\ngot = [k for k in os.environ if k not in ('PATH', 'HOME', "
                         "'LANG', 'PWD', 'LC_CTYPE') and 'THREADS' not in k]\n" + GOT, NOTHING),
    "shell": ("import os, subprocess\ngot = subprocess.run('id', shell=True).returncode", "No such"),
    "writes_the_library": ("import os\nopen(os.__file__, 'a')", "Error: [Errno "),
    "writes_the_grader": ("import sys\nopen(sys.modules['__main__'].__file__, 'a')", "Error: [Errno "),
    "leaves_code_for_others": ("open(__file__, 'w').write('x')", "Error: [Errno "),
    "device_of_the_disk": ("import os\nos.mknod('/tmp/disk', 0o60666, os.makedev(254, 0))", "Error"),
    "new_root": ("import ctypes, os\nlibc = ctypes.CDLL(None, use_errno=True)\n"
                 "got = [libc.unshare(0x10000000), libc.mount(b'/', b'/tmp', None, 4096, None)]\n"
                 "got = 0 in got\n" + GOT, NOTHING),
    "network": ("import socket\nsocket.create_connection(('127.0.0.1', 22), 2)", "Error"),
    # Forged answers
    "constant_forged": (FORGE + TRUE, "returned True"),
    "answers_in_advance": (FORGE + "for n in range(3, 20):\n    try:\n        for _ in range(99): "
                           "write(n, b'{\"value\": true}')\n    except OSError: pass", ""),
    "arguments_forged": (FORGE + "forge('{\"value\": true, \"arguments\": [0, 0, 0], \"names\": [[], "
                         "{}]}')", "changed its argument number 1"),
    "arguments_no_list": (FORGE + "forge('{\"value\": true, \"arguments\": {\"0\": 1}, "
                          "\"names\": 7}')", "changed its argument number 1"),
    "says_it_is_right": ("class Yes(int):\n    __eq__ = lambda *_: True\n    __hash__ = int.__hash__"
                         "\ndef forbidden(*_): return Yes(1)", "returned 1."),
    "no_json": (FORGE + "forge('{')", NONSENSE),
    "no_dict": (FORGE + "forge('[1]')", NONSENSE),
    "no_value": (FORGE + "forge('{\"x\": 1}')", NONSENSE),
    "deep_json": (FORGE + "forge('[' * 99999)", NONSENSE),
    "deep_value": (FORGE + "forge('{\"value\": ' + '{\"tuple\": [' * 60 + ']}' * 60 + '}')",
                   NONSENSE),
    "deep_error": (FORGE + "forge('{\"error\": ' + '[' * 900 + ']' * 900 + '}')", NONSENSE),
    "kind_is_a_dict": (FORGE + "forge('{\"error\": {}, \"kind\": {}, \"place\": [1]}')", "raised"),
    "other_is_a_list": (FORGE + "forge('{\"value\": {\"other\": [[1]]}}')", NONSENSE),
    "two_kinds": (FORGE + "forge('{\"value\": {\"set\": [], \"tuple\": []}}')", NONSENSE),
    "function_back": (FORGE + "forge('{\"value\": {\"function\": 0}}')", NONSENSE),
    "huge_number": (FORGE + "forge('{\"value\": ' + '9' * 99999 + '}')", NONSENSE),
    "number_too_large_to_show": (FORGE + "forge('{\"value\": ' + '9' * 4300 + '}')", "returned 999"),
    "infinity_and_nan": (FORGE + "forge('{\"value\": [NaN, Infinity, -1e999]}')", "returned [nan"),
    "array_of_terabytes": (FORGE + "forge('{\"value\": {\"array\": [\"<U500000000\", [4000], ["
                           "' + ','.join(['\"\"'] * 4000) + ']]}}')", NONSENSE),
    "array_of_texts": (FORGE + "forge('{\"value\": {\"array\": [\"<U999\", [9999], [' + "
                       "','.join(['\"\"'] * 9999) + ']]}}')", NONSENSE),
    "array_of_shapes": (FORGE + "forge('{\"value\": {\"array\": [\"<f8\", [2147483648, 0], []]}}')",
                        NONSENSE),
    "array_of_objects": (FORGE + "forge('{\"value\": {\"array\": [\"O\", [1], [1]]}}')", NONSENSE),
    "array_of_records": (FORGE + "forge('{\"value\": {\"array\": [\"' + 'f8,' * 9999 + 'f8\", [1], "
                         "[1]]}}')", NONSENSE),
    "array_negative": (FORGE + "forge('{\"value\": {\"array\": [\"<f8\", [-1], [1.5]]}}')",
                       NONSENSE),
    "colliding_set": (FORGE + "import json\nforge(json.dumps({'value': {'set': [k * (2**61 - 1) for "
                      "k in range(9999)]}}))", NONSENSE),
    "colliding_keys": (FORGE + "import json\nforge(json.dumps({'value': {'dict': [[k * (2**61 - 1), "
                       "0] for k in range(4000)]}}))", "returned {0: 0, "),
    "unhashable_set": (FORGE + "forge('{\"value\": {\"set\": [{\"dict\": []}]}}')", NONSENSE),
    "long_answer": (FORGE + "forge('{\"value\": \"' + 'x' * (1 << 20) + '\"}')", NONSENSE),
    "longest_frame": (FORGE + "raw(b'dlgo' + struct.pack('!I', 2**32 - 1))", NONSENSE),
    "no_frame": (FORGE + "raw(b'HTTP/1.1 200 OK\\r\\n\\r\\n')", NONSENSE),
    "many_long_answers": (FORGE + "forge('{\"value\": [' + '[],' * 60000 + '[]]}')", NONSENSE),
    "lone_surrogate_raised": ("raise RuntimeError('\\ud800')", "\\ud800"),
    "lone_surrogate_returned": ("def forbidden(*_): return '\\ud800'", "returned '\\ud800'"),
    "terminal_codes_raised": ("raise RuntimeError('\\x1b]0;10/10\\x07\\x1b[2J')", "\\x1b]0;10/10"),
    "direction_turned": ("raise RuntimeError('\\u202e01/01 :ok')", "\\u202e01/01"),
    "html_raised": ("raise RuntimeError('<script>alert(1)</script>')", "<script>alert(1)"),
    # What would harm others
    "memory": ("got = bytearray(3 << 30)", "MemoryError"),
    "disk": ("for n in range(99): open(f'/tmp/{n}', 'wb').write(bytes(8 << 20))", "No space left"),
    "large_file": ("open('/tmp/x', 'wb').write(bytes(30 << 20))", "File too large"),
    "threads": ("import threading, time\nfor _ in range(99):\n    threading.Thread(target=time.sleep"
                ", args=(99,), daemon=True).start()", "can't start new thread"),
    "pipes": ("import os\nfor _ in range(999): os.pipe()", "Too many open files"),
    "ignores_children": ("import signal\nsignal.signal(signal.SIGCHLD, signal.SIG_IGN)",
                         "Operation not permitted"),
    "kills_all": ("import os\nos.kill(-1, 9)", "No such process"),
    "leaves": ("import os\nos._exit(0)", "ended the whole program"),
    "segmentation_fault": ("import ctypes\nctypes.string_at(0)", "ended the whole program"),
    "recursion": ("import sys\nsys.setrecursionlimit(10**9)\ndef f(): f()\nf()",
                  ""),
    "closes_everything": ("import os\nos.closerange(0, 99)\n", "ended the whole program"),
    "priority": ("import os\nos.nice(-20)", "Error"),
}
# These take seconds: --run-all runs them.
EXPENSIVE: dict[str, tuple[str, str]] = {
    "asks_for_no_function": (FORGE + "forge('{\"ask\": 0, \"arguments\": []}')",
                             "did not end in time"),
    "asks_nonsense": (FORGE + "forge('{\"ask\": {}, \"arguments\": 7}')", "did not end in time"),
    "cell_of_a_script": (FORGE + "forge('{\"cell\": [[[]]]}')", "did not end in time"),
    "sleeps": ("import time\ntime.sleep(999)", "did not end in time"),
    "loops": ("while True: pass", "did not end in time"),
    "stops": ("import os\nos.kill(os.getpid(), 19)", "did not end in time"),
    "fork_bomb": ("import os\nwhile True:\n    try: os.fork()\n    except OSError: pass", ""),
    "prints": ("import os\nwhile True: print('x' * 65536)", "did not end in time"),
    "floods_standard_error": ("import os\nwhile True: os.write(2, b'x' * 65536)",
                              "did not end in time"),
    "floods_with_cells": (FORGE + "def tell(self, message):\n    while True: write(self.answers, "
                          "b'{\"cell\": \"a\"}')\nServer.tell = tell", "Not run: your program hung"),
    "floods_with_questions": (FORGE + "block = (b'dlgo' + struct.pack('!I', 28) + b'{\"ask\": 0, "
                              "\"arguments\": [0]}') * 1500\ndef tell(self, message):\n"
                              "    while True: os.write(self.answers, block)\nServer.tell = tell",
                              "did not end in time"),
    "slow_answer": (FORGE + "import time\ndef tell(self, message):\n    while True: "
                    "os.write(self.answers, b'd'); time.sleep(0.1)\nServer.tell = tell", ""),
    "memory_of_children": ("import os, time\nfor _ in range(12):\n    if os.fork() == 0:\n"
                           "        x = bytearray(os.urandom(1 << 20)) * 90\n        time.sleep(99)\n"
                           "time.sleep(99)", "over memory"),
}
