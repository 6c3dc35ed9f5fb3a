"""A class: exercises that grade themselves."""
