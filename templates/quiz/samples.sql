create table if not exists results (
  id integer primary key, name text not null, points integer not null, at text not null,
  sample integer not null default 0
);
insert into results (name, points, at, sample) values
  ('Mira', 5, strftime('%Y-%m-%dT%H:%M:%SZ', 'now', '-2 days'), 1),
  ('Jonas', 4, strftime('%Y-%m-%dT%H:%M:%SZ', 'now', '-2 days'), 1),
  ('Aylin', 3, strftime('%Y-%m-%dT%H:%M:%SZ', 'now', '-1 day'), 1);
