"""What is built on games and engines: tournaments, studies, chapters, the studio, the classroom."""
