/** The home screen. */
export default {
  'A function is code that runs on this server, with a database if it needs one.':
    'Eine Funktion ist Code, der auf diesem Server läuft, mit einer Datenbank, wenn sie eine braucht.',
  'Deploy a function': 'Funktion bereitstellen',
  'Deploy one': 'Eine bereitstellen',
  'Dismiss the news': 'Neuigkeiten ausblenden',
  'Function calls': 'Funktionsaufrufe',
  Gallery: 'Galerie',
  'Give Claude, Cursor or another agent access, and tell it what you want.':
    'Gib Claude, Cursor oder einem anderen Agenten Zugriff, und sag ihm, was du möchtest.',
  'Guestbooks, polls, boards and more, each with its function, data and rules. Or an empty page.':
    'Gästebücher, Umfragen, Pinnwände und mehr, jeweils mit Funktion, Daten und Regeln. Oder eine leere Seite.',
  'JavaScript or TypeScript at a URL of its own, with a database if it needs one.':
    'JavaScript oder TypeScript unter eigener Adresse, mit einer Datenbank, wenn sie eine braucht.',
  'Needs attention': 'Braucht Aufmerksamkeit',
  'No pages yet': 'Noch keine Seiten',
  'Publish your first page: choose a template, and it is live in a few seconds. Or let an agent do it.':
    'Veröffentliche deine erste Seite: Wähle eine Vorlage, und sie ist in ein paar Sekunden live. Oder überlass es einem Agenten.',
  'Read the quick start': 'Den Schnellstart lesen',
  'Recent functions': 'Neueste Funktionen',
  'Recent pages': 'Neueste Seiten',
  'Save a page without publishing it, look at it, and publish it later.':
    'Speichere eine Seite, ohne sie zu veröffentlichen, sieh sie dir an, und veröffentliche sie später.',
  'See how many people came, from where, and which errors they had.':
    'Sieh, wie viele Leute kamen, woher, und welche Fehler sie hatten.',
  'See what others made': 'Ansehen, was andere gemacht haben',
  'Show a page to everyone who comes to this server, in its settings.':
    'Zeig eine Seite allen, die auf diesen Server kommen: in ihren Einstellungen.',
  'Start with a page that has its function, data and rules.':
    'Beginne mit einer Seite, die Funktion, Daten und Regeln schon hat.',
  'Start with a template': 'Mit einer Vorlage anfangen',
  'Storage used': 'Belegter Speicher',
  'The last 24 hours': 'Die letzten 24 Stunden',
  'Welcome, {name}': 'Willkommen, {name}',
  'What’s new': 'Was ist neu',
  'for chat and images': 'für Chat und Bilder',
  'last 24 hours': 'letzte 24 Stunden',
  'no limit': 'keine Grenze',
  'of {quota}': 'von {quota}',
  '{count|One call|{count} calls} failed': '{count|Ein Aufruf|{count} Aufrufe} fehlgeschlagen',
  '{count|One draft is|{count} drafts are} not published':
    '{count|Ein Entwurf ist|{count} Entwürfe sind} nicht veröffentlicht',
  '{count|One error|{count} errors}': '{count|Ein Fehler|{count} Fehler}',
  '{count|One error|{count} errors} in visitors’ browsers':
    '{count|Ein Fehler|{count} Fehler} in Browsern von Besuchern',
  '{count|One view|{views} views}': '{count|Ein Aufruf|{views} Aufrufe}',
  '{count|Your page|All {count} pages}': '{count|Deine Seite|Alle {count} Seiten}',
};
