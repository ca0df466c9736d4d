create table if not exists notes (
  id integer primary key autoincrement, x real not null, y real not null, color text not null, text text not null,
  author_id integer not null, author text not null, sample integer not null default 0
);
insert into notes (x, y, color, text, author_id, author, sample) values
  (30, 30, 'lemon', 'Bring cake on Friday?', 0, 'Mira', 1),
  (196, 60, 'sky', 'Yes! Lemon, please.', 0, 'Jonas', 1),
  (60, 215, 'mint', 'Idea: one quiet hour every morning', 0, 'Aylin', 1),
  (400, 30, 'peach', 'Who waters the fern?', 0, 'Noor', 1),
  (204, 250, 'lilac', 'Try this: drag me somewhere else.', 0, 'Grace', 1),
  (590, 70, 'mint', 'New name for the newsletter', 0, 'Tomás', 1),
  (420, 262, 'lemon', '“The Monday Parrot”', 0, 'Mira', 1),
  (790, 60, 'sky', 'Ask Mei about the projector', 0, 'Jonas', 1),
  (650, 290, 'peach', 'Done is better than perfect', 0, 'Grace', 1);
