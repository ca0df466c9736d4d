/** Labels of fields, and messages of errors that people often see. They are written elsewhere. */
export default {
  Username: 'Benutzername',
  'Username or e-mail': 'Benutzername oder E-Mail',
  'E-mail': 'E-Mail',
  'New password': 'Neues Passwort',
  'Recovery code': 'Wiederherstellungscode',
  '3 to 32 characters: a-z, 0-9, _ and -.': '3 bis 32 Zeichen: a-z, 0-9, _ und -.',
  'At least 8 characters.': 'Mindestens 8 Zeichen.',
  'Only for a new account.': 'Nur für ein neues Konto.',
  'One of the codes that you saved when you turned on the second factor. Each works once.':
    'Einer der Codes, die du beim Einschalten des zweiten Faktors gespeichert hast. Jeder gilt einmal.',
  'Registration is not possible right now': 'Die Registrierung ist gerade nicht möglich',
  'Try again later.': 'Versuche es später erneut.',
  'Registration is by invite': 'Registrierung nur mit Einladung',
  'Ask an administrator of this server for an invite, and open its link. An invite to the team of a page is not enough.':
    'Bitte die Verwaltung dieses Servers um eine Einladung und öffne deren Link. Eine Einladung in das Team einer Seite genügt nicht.',
  'Registration is closed': 'Die Registrierung ist geschlossen',
  'Only the operator of this server can create accounts. Ask them for one.':
    'Nur der Betreiber dieses Servers kann Konten anlegen. Bitte ihn um eines.',
  'Read your pages and the messages from their forms':
    'Deine Seiten und die Nachrichten aus ihren Formularen lesen',
  'Publish, edit and delete pages, with their data; draw previews with your credits':
    'Seiten mit ihren Daten veröffentlichen, bearbeiten und löschen; Vorschaubilder mit deinem Guthaben zeichnen',
  'Read functions, their code and logs': 'Funktionen, ihren Code und ihre Protokolle lesen',
  'Deploy, call and delete functions, set secrets, run SQL':
    'Funktionen bereitstellen, aufrufen und löschen, Geheimnisse setzen, SQL ausführen',
  'Read your private data on pages': 'Deine privaten Daten auf Seiten lesen',
  'Edit your private data on pages': 'Deine privaten Daten auf Seiten bearbeiten',
  'Read the data of your teams': 'Die Daten deiner Teams lesen',
  'Edit the data and files of your teams, invite people':
    'Daten und Dateien deiner Teams bearbeiten, Leute einladen',
  'Read public data': 'Öffentliche Daten lesen',
  'Write public data in your name': 'Öffentliche Daten in deinem Namen schreiben',
  'Use chat, images and other features of pages with your credits':
    'Chat, Bilder und andere Funktionen von Seiten mit deinem Guthaben nutzen',
  'This form is out of date. Answer it again.': 'Dieses Formular ist veraltet. Beantworte es erneut.',
  'Tick what the app can do, or do not allow it.': 'Kreuze an, was die App darf, oder erlaube es nicht.',
  'Confirm that you know this app.': 'Bestätige, dass du diese App kennst.',
  'Not everyone can see this page, and your browser did not show that you can. Turn on JavaScript, open the page again, and send the form once more.':
    'Nicht alle können diese Seite sehen, und dein Browser hat nicht gezeigt, dass du es kannst. Schalte JavaScript ein, öffne die Seite erneut und sende das Formular noch einmal.',
  'Canceled, or no passkey was found. Try again.':
    'Abgebrochen, oder es wurde kein Passkey gefunden. Versuche es noch einmal.',
  'Cannot reach the server. Check your connection, then try again.':
    'Der Server ist nicht erreichbar. Prüfe deine Verbindung und versuche es erneut.',
  'Passkeys do not work at this address.': 'Passkeys funktionieren unter dieser Adresse nicht.',
  'This device already has a passkey for this account.':
    'Dieses Gerät hat schon einen Passkey für dieses Konto.',
  'This passkey was not accepted. Try again, or log in another way.':
    'Dieser Passkey wurde nicht angenommen. Versuche es erneut oder melde dich auf andere Weise an.',
  'This request for a passkey is too old or was already used. Try again.':
    'Diese Anfrage nach einem Passkey ist zu alt oder wurde schon benutzt. Versuche es erneut.',
  'This code is wrong, or it has expired. Check it, or get a new one.':
    'Dieser Code ist falsch oder abgelaufen. Prüfe ihn oder hole einen neuen.',
  'This invite does not exist, has expired or is used up. Ask for a new one.':
    'Diese Einladung gibt es nicht, sie ist abgelaufen oder aufgebraucht. Bitte um eine neue.',
  'This invite is unknown, has expired or is used up. Ask for a new one.':
    'Diese Einladung ist unbekannt, abgelaufen oder aufgebraucht. Bitte um eine neue.',
  'This is not one of your recovery codes, or it was already used. Check it, or use another one.':
    'Das ist keiner deiner Wiederherstellungscodes, oder er wurde schon benutzt. Prüfe ihn oder verwende einen anderen.',
  'This link does not exist, has expired or was already used. Ask for a new one.':
    'Diesen Link gibt es nicht, er ist abgelaufen oder wurde schon benutzt. Bitte um einen neuen.',
  'This login took too long or has ended. Log in again.':
    'Diese Anmeldung hat zu lange gedauert oder ist beendet. Melde dich erneut an.',
  'This password is wrong. Check it and try again.':
    'Dieses Passwort ist falsch. Prüfe es und versuche es erneut.',
  'This username or e-mail address was taken just now. Choose another.':
    'Dieser Benutzername oder diese E-Mail-Adresse wurde gerade vergeben. Wähle etwas anderes.',
  'You were logged out meanwhile. Log in again.': 'Du wurdest inzwischen abgemeldet. Melde dich erneut an.',
};
