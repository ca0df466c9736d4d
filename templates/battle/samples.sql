create table if not exists results (
  id integer primary key, name text not null, points integer not null, sample integer not null default 0
);
insert into results (name, points, sample) values
  ('Ines', 6120, 1),
  ('Quizzard of Oz', 5480, 1),
  ('Malik', 4910, 1),
  ('Team Grandma', 4275, 1),
  ('Yara', 3660, 1);
