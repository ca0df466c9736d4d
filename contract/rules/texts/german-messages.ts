/** Messages of the API in German, which people see in the dashboard and on screens. `{name}` stands for any text. */
export const GERMAN_MESSAGES: Readonly<Record<string, string>> = {
  'Try again in {count} seconds.': 'Versuche es in {count|einer Sekunde|{count} Sekunden} erneut.',
  'Try again in {count} minutes.': 'Versuche es in {count|einer Minute|{count} Minuten} erneut.',
  'Try again in {count} hours.': 'Versuche es in {count|einer Stunde|{count} Stunden} erneut.',

  'The browser did not start, or it did not answer in time. Try again in a moment. If it happens again, make the page lighter, or ask the administrator of this server.':
    'Der Browser ist nicht gestartet oder hat nicht rechtzeitig geantwortet. Versuche es gleich noch einmal. Wenn das wieder passiert, vereinfache die Seite oder frage die Verwaltung dieses Servers.',

  // Logging in and the account.
  'Another account has this e-mail address. Use another one.':
    'Ein anderes Konto hat diese E-Mail-Adresse. Verwende eine andere.',
  'Registration is closed on this server. Ask its administrator for an account.':
    'Die Registrierung ist auf diesem Server geschlossen. Bitte die Verwaltung um ein Konto.',
  'Recovery codes are for the second factor. Turn it on first.':
    'Wiederherstellungscodes sind für den zweiten Faktor. Schalte ihn zuerst ein.',
  'The current password is wrong. Check it and try again.':
    'Das aktuelle Passwort ist falsch. Prüfe es und versuche es erneut.',
  'The password was changed just now. Log in with the new one.':
    'Das Passwort wurde gerade geändert. Melde dich mit dem neuen an.',
  'The second factor is already off.': 'Der zweite Faktor ist schon ausgeschaltet.',
  'The second factor is already on.': 'Der zweite Faktor ist schon eingeschaltet.',
  'The username or the password is wrong. Check both and try again.':
    'Der Benutzername oder das Passwort ist falsch. Prüfe beides und versuche es erneut.',
  'The username {name} is reserved. Choose another.':
    'Der Benutzername {name} ist reserviert. Wähle einen anderen.',
  'The username {name} is taken. Choose another.':
    'Der Benutzername {name} ist vergeben. Wähle einen anderen.',
  'The username {name} was taken just now. Choose another.':
    'Der Benutzername {name} wurde gerade vergeben. Wähle einen anderen.',
  'There is an account with this e-mail address. Log in instead.':
    'Es gibt schon ein Konto mit dieser E-Mail-Adresse. Melde dich an.',
  'This account is suspended, or about to be deleted.': 'Dieses Konto ist gesperrt oder wird bald gelöscht.',
  'This account is suspended. Ask an administrator of this server.':
    'Dieses Konto ist gesperrt. Frage die Verwaltung dieses Servers.',
  'This account is suspended. Ask an administrator of this server. Reason: {reason}':
    'Dieses Konto ist gesperrt. Frage die Verwaltung dieses Servers. Grund: {reason}',
  'This account will be deleted on {day}. To keep it, log in with a browser.':
    'Dieses Konto wird am {day} gelöscht. Melde dich mit einem Browser an, um es zu behalten.',
  'This is already your address.': 'Das ist schon deine Adresse.',
  'This is your only way to log in. Set a password or add a passkey first, then try again.':
    'Das ist deine einzige Möglichkeit, dich anzumelden. Lege zuerst ein Passwort fest oder füge einen Passkey hinzu und versuche es dann erneut.',
  'This passkey already belongs to an account.': 'Dieser Passkey gehört schon zu einem Konto.',
  'This passkey was not accepted. Try again, or use another device.':
    'Dieser Passkey wurde nicht angenommen. Versuche es erneut oder verwende ein anderes Gerät.',
  'This server does not send mail.': 'Dieser Server verschickt keine E-Mails.',
  'Too many failed attempts for this username.': 'Zu viele Fehlversuche für diesen Benutzernamen.',
  'Too many failed attempts from your address.': 'Zu viele Fehlversuche von deiner Adresse.',
  'Too many invites that do not work, from your address.':
    'Zu viele Einladungen von deiner Adresse, die nicht funktionieren.',
  'Too many links were sent for this account.': 'Für dieses Konto wurden zu viele Links verschickt.',
  'Too many login attempts at once. Wait for the responses before you try again.':
    'Zu viele Anmeldeversuche zugleich. Warte auf die Antworten, bevor du es erneut versuchst.',
  'Too many new accounts from your address.': 'Zu viele neue Konten von deiner Adresse.',
  'Too many people are asking for this right now. Try again in a few seconds.':
    'Gerade wollen das zu viele Leute. Versuche es in ein paar Sekunden erneut.',
  'Too many people are logging in right now. Try again in a few seconds.':
    'Gerade melden sich zu viele Leute an. Versuche es in ein paar Sekunden erneut.',
  'Too many requests for a new password from your address.':
    'Zu viele Anfragen nach einem neuen Passwort von deiner Adresse.',
  'Too many wrong codes.': 'Zu viele falsche Codes.',
  'Too many wrong recovery codes.': 'Zu viele falsche Wiederherstellungscodes.',
  'Too much mail was sent to this address. Try again in an hour.':
    'An diese Adresse ging zu viel Post. Versuche es in einer Stunde erneut.',
  'You have added many passkeys.': 'Du hast viele Passkeys hinzugefügt.',
  'You have no passkey yet. Add one first.': 'Du hast noch keinen Passkey. Füge zuerst einen hinzu.',
  'You have {count} passkeys, which is the limit. Remove one that you do not use.':
    'Du hast {count} Passkeys, mehr gehen nicht. Entferne einen, den du nicht brauchst.',
  'You have {count} personal tokens, which is the limit. Revoke one first.':
    'Du hast {count} persönliche Tokens, mehr gehen nicht. Widerrufe zuerst eines.',
  'Your e-mail address is already confirmed.': 'Deine E-Mail-Adresse ist schon bestätigt.',

  // Pages, functions, data and teams.
  'A function can have {count} secrets. Delete one that it no longer needs.':
    'Eine Funktion kann {count} Geheimnisse haben. Lösche eines, das sie nicht mehr braucht.',
  'A page can have {count} domains. Remove one of them before you add another.':
    'Eine Seite kann {count} Domains haben. Entferne eine, bevor du eine weitere hinzufügst.',
  'Only the owner of this page can do that. Ask them.': 'Das kann nur der Besitzer dieser Seite. Frage ihn.',
  'The function is at version {version}, not {base}: someone changed it. Read its code again, then deploy.':
    'Die Funktion hat die Version {version}, nicht {base}: Jemand hat sie geändert. Lies ihren Code noch einmal, dann stelle sie bereit.',
  'The owner of this page has used up their quota, so nothing can be added to it. Only they can free some of it.':
    'Der Besitzer dieser Seite hat sein Kontingent aufgebraucht, deshalb kann nichts hinzukommen. Nur er kann Platz schaffen.',
  'The page has {count} drafts, which is the limit. Publish or delete one.':
    'Die Seite hat {count} Entwürfe, mehr gehen nicht. Veröffentliche oder lösche einen.',
  'The page is at version {version}, not {base}: someone changed it. Read it again, then save.':
    'Die Seite hat die Version {version}, nicht {base}: Jemand hat sie geändert. Lies sie noch einmal, dann speichere.',
  'The slug needs at least two letters or digits.':
    'Der Kurzname braucht mindestens zwei Buchstaben oder Ziffern.',
  'The slug {slug} is taken by another page. Choose another.':
    'Der Kurzname {slug} gehört zu einer anderen Seite. Wähle einen anderen.',
  'This database already has a saved query with the name "{name}".':
    'Diese Datenbank hat schon eine gespeicherte Abfrage mit dem Namen „{name}“.',
  'This page belongs to someone else. Only its owner and the admins of its team can do that. Ask them.':
    'Diese Seite gehört jemand anderem. Das können nur ihr Besitzer und die Admins ihres Teams. Frage sie.',
  'This query has to read all {count} records of the collection, which takes too long. Trying again does not help. Keep fewer records in a collection, for example with one collection for each value that you filter by. Lists by created_at without where stay fast: page through them with after.':
    'Diese Abfrage muss alle {count} Datensätze der Sammlung lesen, und das dauert zu lange. Es erneut zu versuchen hilft nicht. Speichere weniger Datensätze in einer Sammlung, zum Beispiel mit einer eigenen Sammlung für jeden Wert, nach dem du filterst. Listen nach created_at ohne where bleiben schnell: Blättere sie mit after durch.',
  'This query has to read too much to finish in time. Trying again does not help: ask for less.':
    'Diese Abfrage muss zu viel lesen, um rechtzeitig fertig zu werden. Es erneut zu versuchen hilft nicht: Frage weniger ab.',
  'Too many checks of pages.': 'Zu viele Prüfungen von Seiten.',
  'Too many preview images.': 'Zu viele Vorschaubilder.',
  'Too many requests on this page.': 'Zu viele Anfragen auf dieser Seite.',
  'You are not in the team of this page. Ask its owner for an invite.':
    'Du bist nicht im Team dieser Seite. Bitte ihren Besitzer um eine Einladung.',

  // What does not exist.
  'This draft was not found.': 'Dieser Entwurf wurde nicht gefunden.',
  'This file was not found.': 'Diese Datei wurde nicht gefunden.',
  'This form was not found.': 'Dieses Formular wurde nicht gefunden.',
  'This function was not found.': 'Diese Funktion wurde nicht gefunden.',
  'This invite was not found.': 'Diese Einladung wurde nicht gefunden.',
  'This message was not found.': 'Diese Nachricht wurde nicht gefunden.',
  'This page was not found.': 'Diese Seite wurde nicht gefunden.',
  'This passkey was not found.': 'Dieser Passkey wurde nicht gefunden.',
  'This record was not found.': 'Dieser Datensatz wurde nicht gefunden.',
  'This saved query was not found.': 'Diese gespeicherte Abfrage wurde nicht gefunden.',
  'This secret was not found.': 'Dieses Geheimnis wurde nicht gefunden.',
  'This session was not found.': 'Diese Sitzung wurde nicht gefunden.',
  'This token was not found.': 'Dieses Token wurde nicht gefunden.',
  'This user was not found.': 'Dieser Benutzer wurde nicht gefunden.',

  // What the server cannot do now.
  'Another backup is running. Try again when it is complete.':
    'Eine andere Sicherung läuft. Versuche es erneut, wenn sie fertig ist.',
  'All processes for functions are busy. Try again in a moment.':
    'Alle Prozesse für Funktionen sind beschäftigt. Versuche es gleich noch einmal.',
  'The database does not answer right now. Try again in a moment.':
    'Die Datenbank antwortet gerade nicht. Versuche es gleich noch einmal.',
  'The database is too busy to do this in time. Nothing was changed. Try again in a moment.':
    'Die Datenbank ist zu beschäftigt dafür. Nichts wurde geändert. Versuche es gleich noch einmal.',
  'The disk of this server is full, so nothing can be saved. Reading still works. Ask the operator to free some space.':
    'Die Festplatte dieses Servers ist voll, deshalb kann nichts gespeichert werden. Lesen geht noch. Bitte den Betreiber, Platz zu schaffen.',
  'The file store does not answer right now. Try again in a moment.':
    'Der Dateispeicher antwortet gerade nicht. Versuche es gleich noch einmal.',
  'The item that this belongs to was just deleted. Load it again.':
    'Das, wozu das gehört, wurde gerade gelöscht. Lade es neu.',
  'The server is stopping. Try again in a moment.':
    'Der Server wird gerade beendet. Versuche es gleich noch einmal.',
  'Something went wrong on our side. Quote this id: {id}.':
    'Bei uns ist etwas schiefgegangen. Nenne diese Kennung: {id}.',
  'Too many pages are being checked. Try again in a moment.':
    'Gerade werden zu viele Seiten geprüft. Versuche es gleich noch einmal.',
};
