create table if not exists votes (
  question text, voter integer, choice text, sample integer default 0, primary key (question, voter)
);
insert into votes (question, voter, choice, sample) values
  ('Where should we have the summer party?', -1, 'lake', 1),
  ('Where should we have the summer party?', -2, 'lake', 1),
  ('Where should we have the summer party?', -3, 'lake', 1),
  ('Where should we have the summer party?', -4, 'lake', 1),
  ('Where should we have the summer party?', -5, 'lake', 1),
  ('Where should we have the summer party?', -6, 'lake', 1),
  ('Where should we have the summer party?', -7, 'lake', 1),
  ('Where should we have the summer party?', -8, 'garden', 1),
  ('Where should we have the summer party?', -9, 'garden', 1),
  ('Where should we have the summer party?', -10, 'garden', 1),
  ('Where should we have the summer party?', -11, 'garden', 1),
  ('Where should we have the summer party?', -12, 'garden', 1),
  ('Where should we have the summer party?', -13, 'roof', 1),
  ('Where should we have the summer party?', -14, 'roof', 1),
  ('Where should we have the summer party?', -15, 'roof', 1),
  ('Where should we have the summer party?', -16, 'boat', 1),
  ('Where should we have the summer party?', -17, 'boat', 1),
  ('Where should we have the summer party?', -18, 'boat', 1),
  ('Where should we have the summer party?', -19, 'boat', 1);
