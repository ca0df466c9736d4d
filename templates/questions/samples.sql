create table if not exists questions (
  id integer primary key, text text not null, name text not null default '', state text not null default 'open',
  voter text not null, at integer not null, sample integer not null default 0
);
create table if not exists votes (
  question integer not null, voter text not null, sample integer not null default 0, primary key (question, voter)
);
insert into questions (id, text, name, state, voter, at, sample) values
  (1, 'What was your biggest mistake, and what did you change after it?', 'Ines', 'stage', 'sample 1', 1, 1),
  (2, 'Where would you start with only one week?', '', 'open', 'sample 2', 2, 1),
  (3, 'How do you explain this to people who have no time?', 'Malik', 'open', 'sample 3', 3, 1),
  (4, 'Will the slides be online?', '', 'done', 'sample 4', 4, 1);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 30)
insert into votes (question, voter, sample)
  select q.id, 'sample ' || n.i, 1 from n, (select 1 as id, 23 as most union select 2, 14 union select 3, 9 union select 4, 6) as q where n.i <= q.most;
