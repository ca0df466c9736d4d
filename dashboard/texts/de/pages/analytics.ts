/** Analytics, forms and files of a page. */
export default {
  'A page can have at most {max} files.': 'Eine Seite kann höchstens {max} Dateien haben.',
  Chat: 'Chat',
  'Credits spent': 'Ausgegebene Credits',
  'Delete all': 'Alle löschen',
  'Delete all messages?': 'Alle Nachrichten löschen?',
  'Delete message': 'Nachricht löschen',
  'Delete this message?': 'Diese Nachricht löschen?',
  'Deleted the message.': 'Die Nachricht ist gelöscht.',
  'Deleted the messages of {name}.': 'Die Nachrichten von {name} sind gelöscht.',
  'Direct, or unknown': 'Direkt oder unbekannt',
  'Errors in browsers': 'Fehler in Browsern',
  'Errors in visitors’ browsers': 'Fehler in den Browsern der Besucher',
  Features: 'Dienste',
  'Features used': 'Genutzte Dienste',
  'First seen {moment}.': 'Zuerst gesehen am {moment}.',
  'Form copied.': 'Formular kopiert.',
  'How forms work': 'So funktionieren Formulare',
  'Mail about new messages': 'E-Mail bei neuen Nachrichten',
  'Mark all as read': 'Alle als gelesen markieren',
  'Mark as read': 'Als gelesen markieren',
  'Mark as unread': 'Als ungelesen markieren',
  Message: 'Nachricht',
  'Messages of {name}': 'Nachrichten von {name}',
  'Messages that visitors send with a form of this page appear here. Paste this into the page to get one:':
    'Nachrichten, die Besucher mit einem Formular dieser Seite senden, erscheinen hier. Um ein Formular zu bekommen, füge das in die Seite ein:',
  'Messages that visitors send with the form {name} appear here. Paste this into the page to get one:':
    'Nachrichten, die Besucher mit dem Formular {name} senden, erscheinen hier. Um ein Formular zu bekommen, füge das in die Seite ein:',
  New: 'Neu',
  'New pages': 'Neue Seiten',
  'No errors in the last 30 days. If a script on this page fails in a browser, the error and its line appear here.':
    'Keine Fehler in den letzten 30 Tagen. Wenn ein Skript dieser Seite in einem Browser scheitert, siehst du es hier mit seiner Zeile.',
  'No messages yet': 'Noch keine Nachrichten',
  'No visits in this period. Share the address of this page to see visits here.':
    'Keine Besuche in diesem Zeitraum. Teile die Adresse dieser Seite, um hier Besuche zu sehen.',
  'Other sites': 'Andere Websites',
  Reply: 'Antworten',
  Resolve: 'Erledigen',
  'Resolve all': 'Alle erledigen',
  'Resolve {message}': '{message} erledigen',
  'Resolved. If it happens again, it is listed again.':
    'Erledigt. Wenn es wieder vorkommt, steht es wieder in der Liste.',
  'Sent to the page owner’s confirmed address, at most once every ten minutes.':
    'Geht an die bestätigte Adresse des Besitzers der Seite, höchstens einmal alle zehn Minuten.',
  'Show more': 'Mehr anzeigen',
  'Sites that link to this page appear here when someone follows the link.':
    'Websites, die auf diese Seite verlinken, erscheinen hier, sobald jemand dem Link folgt.',
  'The files have {size} together. The limit for a page is {max}.':
    'Die Dateien sind zusammen {size} groß. Die Grenze für eine Seite ist {max}.',
  'The path {path} {fault}.': 'Der Pfad {path} {fault}.',
  'This deletes the message from {sender}, with its files. You cannot restore it.':
    'Die Nachricht von {sender} wird mit ihren Dateien gelöscht. Du kannst sie nicht wiederherstellen.',
  'This page is a draft. Publish it to get visitors.':
    'Diese Seite ist ein Entwurf. Veröffentliche sie, damit Besucher kommen können.',
  'Updates automatically. Visitors are counted without cookies.':
    'Aktualisiert sich automatisch. Besucher werden ohne Cookies gezählt.',
  'Previous views': 'Aufrufe davor',
  Visitors: 'Besucher',
  'Visits per day, in UTC': 'Besuche pro Tag, in UTC',
  'Visits per hour': 'Besuche pro Stunde',
  'What visitors use of chat, images and other features appears here, with the credits they spend.':
    'Was Besucher von Chat, Bildern und anderen Diensten nutzen, erscheint hier, mit den Credits, die sie ausgeben.',
  'Where visitors come from': 'Woher Besucher kommen',
  'Your e-mail': 'Deine E-Mail-Adresse',
  'Your name': 'Dein Name',
  'in version {version}': 'in Version {version}',
  'the page': 'die Seite',
  'unknown place': 'unbekannte Stelle',
  '{count|Happened once|Happened {count} times}': '{count|Einmal passiert|{count}-mal passiert}',
  '{count|This deletes {count} message of {name}|This deletes {count} messages of {name}}, with all files. You cannot restore them. The form on the page keeps working.':
    '{count|{count} Nachricht von {name} wird|{count} Nachrichten von {name} werden} mit allen Dateien gelöscht. Du kannst sie nicht wiederherstellen. Das Formular auf der Seite funktioniert weiter.',
  '{count|{count} message|{count} messages}, {size}': '{count|{count} Nachricht|{count} Nachrichten}, {size}',
  '{count} ×': '{count} ×',
  '{count}<span> unread</span>': '{count}<span> ungelesen</span>',
  '{credits} credits': '{credits} Credits',
  '{name}, line {line}': '{name}, Zeile {line}',
  '{path} has {size}. The limit for one file is {max}.':
    '{path} ist {size} groß. Die Grenze für eine Datei ist {max}.',
};
