"""One file an exercise: the task, its solution, and what is checked. Students are given the first.

    \"\"\"The title (chapter N).          the task, which is the first thing that students read

    Text.\"\"\"
    def function(...):
        \"\"\"The task of the function.

        >>> function(1)             three examples, which students run; hidden checks ask others
        2
        \"\"\"
        ### BEGIN SOLUTION              what students write themselves
        ...
        ### END SOLUTION

    ### BEGIN HIDDEN TESTS              students never see these
    CHECKS = [...]                      see checks.py
    PLANTED = {...}                     bugs that must lose points: a text, and what it becomes
    EQUIVALENT = {...}                  changes that are no bugs, and why: see mutants.py
    ### END HIDDEN TESTS

`faults.toml` makes exercises of planted bugs: students find and mend them.

The marks are nbgrader's. `dlgo class new` writes the student's file. Its code before the hidden
tests imports only packages that students have.
"""
