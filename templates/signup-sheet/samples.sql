create table if not exists lines (
  id integer primary key, title text not null, note text not null default '', places integer not null, sample integer not null default 0
);
create table if not exists names (
  id integer primary key, line integer not null, name text not null, key text not null, user text, sample integer not null default 0
);
insert into lines (id, title, note, places, sample) values
  (1, 'Set up tables', 'Saturday from 2 pm', 4, 1),
  (2, 'Bring a salad', 'Any kind, for about eight people', 3, 1),
  (3, 'Bring a cake', '', 3, 1),
  (4, 'Music', 'There is a speaker', 1, 1),
  (5, 'Clean up', 'Sunday at 11 am, with leftovers for breakfast', 5, 1);
insert into names (line, name, key, sample) values
  (1, 'Ines', hex(randomblob(16)), 1),
  (1, 'Tom and Kim', hex(randomblob(16)), 1),
  (2, 'Malik', hex(randomblob(16)), 1),
  (3, 'Grandma Rose', hex(randomblob(16)), 1),
  (3, 'Yara', hex(randomblob(16)), 1),
  (4, 'DJ Paul', hex(randomblob(16)), 1);
