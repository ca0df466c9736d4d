create table if not exists notes (id integer primary key autoincrement, author_id integer not null, author text not null, text text not null, posted_at text not null, sample integer not null default 0);
create table if not exists digests (first_note integer primary key, last_note integer not null, made_at text not null, html text not null, sample integer not null default 0);
insert into notes (author_id, author, text, posted_at, sample) values
  (0, 'Jonas', 'The printer works. Nobody knows why.', strftime('%Y-%m-%dT%H:%M:%SZ', 'now', '-3 hours'), 1),
  (0, 'Mira', 'The keys for the cellar are with me until Friday.', strftime('%Y-%m-%dT%H:%M:%SZ', 'now', '-1 hours'), 1);
insert into digests (first_note, last_note, made_at, html, sample) values
  (-1, 0, strftime('%Y-%m-%dT%H:%M:%SZ', 'now', '-1 day'), '<p class="date">Sample</p>
<h2>The roof is tight again</h2>
<p class="lead">4 notes from 3 people.</p>
<section><h3>Mira</h3><ul><li>The roofers finished before the rain. No bucket needed in the hall tonight.</li><li>Ordered chairs for forty.</li></ul></section>
<section><h3>Jonas</h3><ul><li>The choir wants the big room on Mondays. I said yes.</li></ul></section>
<section><h3>Aylin</h3><ul><li>Somebody left a cello. It is in the office, and it is being looked after.</li></ul></section>', 1);
