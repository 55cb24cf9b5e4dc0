"""What is built on the gates and the table server: client, house players, pages, commands, and the composition root (`app`)."""
