/** The start page, errors, and what every screen has. */
export default {
  Password: 'Passwort',
  'Error: {title}': 'Fehler: {title}',
  'Go to the start page': 'Zur Startseite',
  'Temporarily unavailable': 'Vorübergehend nicht verfügbar',
  'Try again': 'Erneut versuchen',
  'Not now': 'Jetzt nicht',
  Continue: 'Weiter',
  'You are logged in as <strong>{0}</strong>. <a href="{1}">Not you?</a>':
    'Du bist als <strong>{0}</strong> angemeldet. <a href="{1}">Nicht du?</a>',
  'You are logged in as <strong>{0}</strong>. <a href="/logout?next={1}">Not you?</a>':
    'Du bist als <strong>{0}</strong> angemeldet. <a href="/logout?next={1}">Nicht du?</a>',
  '{name} on {host}': '{name} auf {host}',
  Docs: 'Dokumentation',
  'Nothing here': 'Hier ist nichts',
  'Not possible here': 'Hier nicht möglich',
  'Too large': 'Zu groß',
  'Too many requests': 'Zu viele Anfragen',
  'Something went wrong': 'Etwas ist schiefgegangen',
  'The disk is full': 'Der Speicher ist voll',
  'It may have been moved or deleted, or it may be private.':
    'Vielleicht wurde die Seite verschoben oder gelöscht, oder sie ist privat.',
  'This is an error of the server. If it happens again, send this id to the operator:':
    'Das ist ein Fehler des Servers. Wenn er wieder auftritt, sende dem Betreiber diese Kennung:',
  'Go back and send the form again.': 'Geh zurück und sende das Formular erneut.',
  Areas: 'Bereiche',
  Loading: 'Wird geladen',
  'The dashboard needs JavaScript. Everything it does can also be done <a href="/docs/api">by the API</a>.':
    'Das Dashboard braucht JavaScript. Alles, was es kann, geht auch <a href="/docs/api">mit der API</a>.',
  'Publish a page with a back end': 'Veröffentliche eine Seite mit Backend',
  'Write HTML and get a live page, with functions, databases and data.':
    'Schreib HTML und du hast eine Seite im Web, mit Funktionen, Datenbanken und Daten.',
  'Publish a page with a back\u00a0end, in a minute':
    'Veröffentliche eine Seite mit Backend, in einer Minute',
  'Write HTML and get a live page. Add a function with a database, and store data for each visitor, a team or everyone. Everything runs on this server.':
    'Schreib HTML und du hast eine Seite im Web. Füge eine Funktion mit Datenbank hinzu und speichere Daten je Besucher, für ein Team oder für alle. Alles läuft auf diesem Server.',
  'New accounts need an invite from an administrator.':
    'Für ein neues Konto brauchst du eine Einladung von der Verwaltung.',
  'The editor: the HTML of a page on the left, the live page on the right.':
    'Der Editor: links das HTML einer Seite, rechts die Seite selbst.',
  'See all {count} pages': 'Alle {count} Seiten ansehen',
  'Open the gallery': 'Galerie öffnen',
  'Made on this server': 'Auf diesem Server gemacht',
  'About {name}': 'Über {name}',
  'For you': 'Für dich',
  'An editor with live preview and versions, and your data and functions. <a href="/docs/quick-start">Quick start</a>':
    'Ein Editor mit Vorschau und Versionen, dazu deine Daten und Funktionen. <a href="/docs/quick-start">Schnellstart</a>',
  'For your agent': 'Für deinen Agenten',
  'Give it <a href="/llms.txt">{0}/llms.txt</a>, and it can publish on its own. Or connect it to <a href="/docs/agents">the MCP server</a>.':
    'Gib ihm <a href="/llms.txt">{0}/llms.txt</a>, und er kann selbst veröffentlichen. Oder verbinde ihn mit <a href="/docs/agents">dem MCP-Server</a>.',
  'For programs': 'Für Programme',
  'The HTTP API can do everything that the dashboard does. <a href="/docs/api">API reference</a>':
    'Die HTTP-API kann alles, was das Dashboard kann. <a href="/docs/api">API-Referenz</a>',
};
