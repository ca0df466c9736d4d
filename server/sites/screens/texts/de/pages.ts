/** Around pages: the gallery, closed pages, forms and invites to teams. */
export default {
  'Pages that people have published on {name}, to look at and to copy.':
    'Seiten, die bei {name} veröffentlicht sind, zum Ansehen und Kopieren.',
  'Thank you': 'Danke',
  'Your message was sent.': 'Deine Nachricht wurde gesendet.',
  'Back to {name}': 'Zurück zu {name}',
  'Your message was not sent': 'Deine Nachricht wurde nicht gesendet',
  'Go back with your browser’s Back button. What you wrote is still in the form.':
    'Geh mit der Zurück-Taste deines Browsers zurück. Was du geschrieben hast, steht noch im Formular.',
  '{total} found for “{q}”': '{total} gefunden für „{q}“',
  '{total|{total} page|{total} pages}': '{total|{total} Seite|{total} Seiten}',
  Gallery: 'Galerie',
  'Search the gallery': 'Galerie durchsuchen',
  'Name, description or author': 'Name, Beschreibung oder Autor',
  Search: 'Suchen',
  'Nothing found': 'Nichts gefunden',
  'Try another word, or <a href="/gallery">see all pages</a>.':
    'Versuche ein anderes Wort oder <a href="/gallery">sieh alle Seiten an</a>.',
  'No pages yet': 'Noch keine Seiten',
  'Owners add a page in its settings, with “Show in the gallery of this server”.':
    'Besitzer fügen eine Seite in ihren Einstellungen hinzu, mit „In der Galerie dieses Servers zeigen“.',
  'More pages': 'Weitere Seiten',
  Newer: 'Neuere',
  '{first} to {last} of {total}': '{first} bis {last} von {total}',
  Older: 'Ältere',
  'Fork {name}?': '{name} kopieren?',
  'You get a copy with the same document, files and settings, without its data. It is yours: you can change it, and it changes nothing for others.':
    'Du bekommst eine Kopie mit demselben Dokument, denselben Dateien und Einstellungen, ohne die Daten. Sie gehört dir: Du kannst sie ändern, und für andere ändert sich nichts.',
  'The copy is published at a URL of its own on {name}. You can make it a draft in its settings.':
    'Die Kopie wird unter einer eigenen Adresse auf {name} veröffentlicht. In ihren Einstellungen kannst du sie zum Entwurf machen.',
  'Fork it': 'Kopieren',
  Cancel: 'Abbrechen',
  'Fork {name}': '{name} kopieren',
  Fork: 'Kopieren',
  'You cannot see this page': 'Du kannst diese Seite nicht sehen',
  'It is only for some people. Ask its owner for access.':
    'Sie ist nur für bestimmte Personen. Bitte ihren Besitzer um Zugang.',
  'This page is not available': 'Diese Seite ist nicht verfügbar',
  'An administrator of this server has taken this page down. The reason: {reason}':
    'Ein Verwalter dieses Servers hat diese Seite gesperrt. Der Grund: {reason}',
  'An administrator of this server has taken this page down. Its owner can see why in the dashboard.':
    'Ein Verwalter dieses Servers hat diese Seite gesperrt. Der Besitzer sieht den Grund im Dashboard.',
  'It cannot be shown at the moment. Try again later, or ask its owner.':
    'Sie kann im Moment nicht gezeigt werden. Versuche es später erneut oder frage ihren Besitzer.',
  'Open in the dashboard': 'Im Dashboard öffnen',
  'This page is closed': 'Diese Seite ist geschlossen',
  'It was open until a certain time, which has passed. Ask its owner to open it again.':
    'Sie war bis zu einem bestimmten Zeitpunkt offen, und der ist vorbei. Bitte ihren Besitzer, sie wieder zu öffnen.',
  'This page has a password': 'Diese Seite hat ein Passwort',
  'Ask the person who gave you the link for it.': 'Frage die Person danach, von der du den Link hast.',
  'Open the page': 'Seite öffnen',
  'Log in to see this page': 'Melde dich an, um diese Seite zu sehen',
  'Only some people can see it.': 'Nur bestimmte Personen können sie sehen.',
  'You can read the data of the team and download its files.':
    'Du kannst die Daten des Teams lesen und seine Dateien herunterladen.',
  'You can read the data of the team, and add your own records and files.':
    'Du kannst die Daten des Teams lesen und eigene Datensätze und Dateien hinzufügen.',
  'You can change the page and all data of the team, and invite others.':
    'Du kannst die Seite und alle Daten des Teams ändern und andere einladen.',
  'Join {name}': '{name} beitreten',
  'You are {0} of its team, and are invited to become <strong>{1}</strong>.':
    'Im Team bist du {0}, und du bist eingeladen, <strong>{1}</strong> zu werden.',
  'You are invited to join its team as <strong>{0}</strong>.':
    'Du bist in ihr Team eingeladen, als <strong>{0}</strong>.',
  'You are invited': 'Du bist eingeladen',
  'The team will see your name, {username}.': 'Das Team sieht deinen Namen, {username}.',
  Accept: 'Annehmen',
  Join: 'Beitreten',
  'Log in to join, or create an account. You come back here afterwards.':
    'Melde dich an, um beizutreten, oder lege ein Konto an. Danach kommst du hierher zurück.',
  'Log in to join. You come back here afterwards. To create an account, you also need an invite from an administrator of this server.':
    'Melde dich an, um beizutreten. Danach kommst du hierher zurück. Für ein neues Konto brauchst du außerdem eine Einladung von der Verwaltung dieses Servers.',
  'Log in to join. You come back here afterwards.':
    'Melde dich an, um beizutreten. Danach kommst du hierher zurück.',
  'You are in': 'Du bist dabei',
  'You are {0} of the team of <strong>{1}</strong> already.':
    'Im Team von <strong>{1}</strong> bist du schon {0}.',
  'This invite is for {role}, which is less, so nothing changes.':
    'Mit dieser Einladung wärst du {role}, also weniger. Darum ändert sich nichts.',
  'This invite no longer works': 'Diese Einladung gilt nicht mehr',
  'You cannot join right now': 'Du kannst gerade nicht beitreten',
  'the owner': 'Besitzer',
  'an admin': 'Admin',
  'a member': 'Mitglied',
  'a viewer': 'Betrachter',
  'Solo app': 'Solo-App',
  'Team app': 'Team-App',
  'Social app': 'Social-App',
  '{count|{count} view|{count} views}': '{count|{count} Aufruf|{count} Aufrufe}',
  'by {author}': 'von {author}',
};
