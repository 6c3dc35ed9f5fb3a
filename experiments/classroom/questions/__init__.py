"""Questions for exams with their answers, a file for each page of the course. Lecturers only.

    [[question]]
    id = "uct-step"         unique in all files
    level = "easy"          easy, medium or hard
    minutes = 5             that a student needs
    text = \"\"\"Markdown with $formulas$.\"\"\"
    answer = \"\"\"...\"\"\"

A file has the name of its page: `04_search.toml` for notebooks/04_search.py, `compare.toml` for
docs/compare.md. `exam.py` reads the files. They are not in the package for students.
"""
