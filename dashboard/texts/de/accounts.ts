export default {
  '3 to 32 characters: a-z, 0-9, _ and -.': '3 bis 32 Zeichen: a-z, 0-9, _ und -.',
  '<b>It is your last one.</b> Without it, your password is enough to log in, and your recovery codes stop working.':
    '<b>Es ist dein letzter.</b> Ohne ihn genügt dein Passwort zum Anmelden, und deine Wiederherstellungscodes gelten nicht mehr.',
  '<b>{amount}</b> {count|credit|credits}': '<b>{amount}</b> {count|Credit|Credits}',
  'A page must ask you before it can use your credits.':
    'Eine Seite muss dich fragen, bevor sie dein Guthaben benutzen kann.',
  Activity: 'Aktivität',
  'Activity by administrators': 'Aktivität der Administratoren',
  'Add a passkey': 'Passkey hinzufügen',
  'Add a passkey first.': 'Füge zuerst einen Passkey hinzu.',
  'Add one in this browser. Many password managers sync it to all your devices.':
    'Füge einen in diesem Browser hinzu. Viele Passwortmanager übertragen ihn auf alle deine Geräte.',
  'Added the passkey {name}.': 'Der Passkey {name} ist hinzugefügt.',
  'Agents and programs that you allowed to use your account. Each can do only what you ticked. If you do not recognize one, disconnect it.':
    'Agenten und Programme, die dein Konto benutzen dürfen. Jeder kann nur, was du angekreuzt hast. Wenn du etwas nicht kennst, trenne es.',
  Allowed: 'Erlaubt',
  App: 'App',
  'Ask for a passkey after my password': 'Nach meinem Passwort einen Passkey verlangen',
  'At least {count} characters.': 'Mindestens {count} Zeichen.',
  Balance: 'Kontostand',
  'Change address': 'Adresse ändern',
  'Change password': 'Passwort ändern',
  'Change username': 'Benutzernamen ändern',
  'Change your password': 'Passwort ändern',
  'Confirm that it is you': 'Bestätige, dass du es bist',
  confirmed: 'bestätigt',
  'Connect to {name}': 'Mit {name} verbinden',
  'Connected apps': 'Verbundene Apps',
  'Copy it now: you cannot see it again.': 'Kopiere es jetzt: Du kannst es nicht noch einmal sehen.',
  'Create one for a script, or for an agent that cannot ask you for access.':
    'Erstelle eines für ein Skript oder für einen Agenten, der dich nicht um Zugriff bitten kann.',
  'Create token': 'Token erstellen',
  'Credit history': 'Verlauf des Guthabens',
  'Credit limit': 'Grenze für Credits',
  'Credits that you receive and that pages use appear here.':
    'Credits, die du bekommst und die Seiten verbrauchen, erscheinen hier.',
  'Current password': 'Aktuelles Passwort',
  'Delete account': 'Konto löschen',
  'Delete what you stored on {name}': 'Löschen, was du auf {name} gespeichert hast',
  'Delete what you stored on {name}?': 'Löschen, was du auf {name} gespeichert hast?',
  'Delete your account': 'Dein Konto löschen',
  'Delete your account?': 'Dein Konto löschen?',
  Deleted: 'Gelöscht',
  Device: 'Gerät',
  'Disconnect from {name}': 'Von {name} trennen',
  'Disconnect {name}': '{name} trennen',
  'Disconnect {name}?': '{name} trennen?',
  'Disconnected {name}.': '{name} ist getrennt.',
  'E-mail address': 'E-Mail-Adresse',
  'Enter a whole number.': 'Gib eine ganze Zahl ein.',
  'Enter your password. If you do not have one, log out, log in again, and do this within ten minutes.':
    'Gib dein Passwort ein. Wenn du keines hast, melde dich ab und wieder an, und mach dies innerhalb von zehn Minuten.',
  'Expires earlier if you log out of this browser, or do not open Quire in it for 30 days.':
    'Läuft früher ab, wenn du dich in diesem Browser abmeldest oder Quire darin 30 Tage lang nicht öffnest.',
  'Export everything': 'Alles exportieren',
  'Export your data': 'Deine Daten exportieren',
  'For agents, programs and the command line. Each can do only what you allow. Tokens that you create here expire when you log out of this browser, or do not open {name} in it for 30 days.':
    'Für Agenten, Programme und die Kommandozeile. Jedes kann nur, was du erlaubst. Tokens, die du hier erstellst, laufen ab, wenn du dich in diesem Browser abmeldest oder {name} darin 30 Tage lang nicht öffnest.',
  'For this browser. Until you choose one, the languages that your browser prefers decide.':
    'Für diesen Browser. Bis du eine wählst, entscheiden die Sprachen, die dein Browser bevorzugt.',
  'From {origin}': 'Von {origin}',
  History: 'Verlauf',
  'I have saved them': 'Ich habe sie gespeichert',
  'If you do not recognize a session, log it out and change your password.':
    'Wenn du eine Sitzung nicht kennst, melde sie ab und ändere dein Passwort.',
  'If you lose your passkeys, one of these logs you in after your password. Each works once. You cannot see them again, and your earlier codes no longer work.':
    'Wenn du deine Passkeys verlierst, meldet dich nach dem Passwort einer dieser Codes an. Jeder gilt einmal. Du kannst sie nicht noch einmal sehen, und deine früheren Codes gelten nicht mehr.',
  'It can spend this many of your credits in total, on pages that you allow to. From 1 to {most}.':
    'So viele deiner Credits kann es insgesamt ausgeben, auf Seiten, denen du es erlaubst. Von 1 bis {most}.',
  'It changes to {email} when you open the link that we sent there.':
    'Sie ändert sich zu {email}, wenn du den Link öffnest, den wir dorthin geschickt haben.',
  'It immediately loses what you allowed:': 'Sie verliert sofort, was du erlaubt hast:',
  Language: 'Sprache',
  'Last active': 'Zuletzt aktiv',
  'Last stored': 'Zuletzt gespeichert',
  'Last used': 'Zuletzt benutzt',
  'Last used {when}': 'Zuletzt benutzt {when}',
  'Leave it empty to use the default name.': 'Lass das Feld leer, um den Standardnamen zu verwenden.',
  'Log in with an account that you have somewhere else.':
    'Melde dich mit einem Konto an, das du anderswo hast.',
  'Log in with your fingerprint, your face, the PIN of your device or a security key. A passkey works only on this site, so nobody can trick you into using it on another one.':
    'Melde dich mit Fingerabdruck, Gesicht, der PIN deines Geräts oder einem Sicherheitsschlüssel an. Ein Passkey funktioniert nur auf dieser Website, also kann dich niemand dazu verleiten, ihn auf einer anderen zu benutzen.',
  'Log out everywhere else': 'Überall sonst abmelden',
  'Log out {name}': '{name} abmelden',
  'Logged out {name}.': '{name} ist abgemeldet.',
  'name not checked': 'Name nicht geprüft',
  'Name this device': 'Gerät benennen',
  'New address': 'Neue Adresse',
  'New recovery codes': 'Neue Wiederherstellungscodes',
  'No administrator has changed anything of yours.': 'Kein Administrator hat etwas von dir geändert.',
  'No connected apps': 'Keine verbundenen Apps',
  'No history yet': 'Noch kein Verlauf',
  'No pages': 'Keine Seiten',
  'No passkeys yet': 'Noch keine Passkeys',
  'No tokens yet': 'Noch keine Tokens',
  'not confirmed': 'nicht bestätigt',
  'Nothing so far': 'Bisher nichts',
  'Nothing stored elsewhere': 'Anderswo nichts gespeichert',
  now: 'jetzt',
  'on several devices': 'auf mehreren Geräten',
  'One archive with your account, pages, functions, databases, credits, and what you stored on other people’s pages.':
    'Ein Archiv mit deinem Konto, deinen Seiten, Funktionen, Datenbanken, deinem Guthaben und allem, was du auf Seiten anderer gespeichert hast.',
  'Only on the page <a>{name}</a>': 'Nur auf der Seite <a>{name}</a>',
  'Open the link that we sent to {email}.': 'Öffne den Link, den wir an {email} geschickt haben.',
  'Open the link that we sent to {email}. Your address changes then.':
    'Öffne den Link, den wir an {email} geschickt haben. Dann ändert sich deine Adresse.',
  'Opening balance': 'Startguthaben',
  'Page builder': 'Seitenassistent',
  'Pages that can use your credits': 'Seiten, die dein Guthaben benutzen können',
  'Pages use credits for AI chat and images, if you allow it.':
    'Seiten verbrauchen Credits für KI-Chat und Bilder, wenn du es erlaubst.',
  passkey: 'Passkey',
  password: 'Passwort',
  'Personal tokens': 'Persönliche Tokens',
  'Programs that use this token lose access immediately. You cannot undo this.':
    'Programme, die dieses Token benutzen, verlieren sofort den Zugriff. Du kannst das nicht rückgängig machen.',
  'Publish in your name': 'In deinem Namen veröffentlichen',
  'Records that you created and files that you uploaded while you were logged in.':
    'Datensätze, die du erstellt hast, und Dateien, die du hochgeladen hast, während du angemeldet warst.',
  'recovery code': 'Wiederherstellungscode',
  'Recovery codes': 'Wiederherstellungscodes',
  'Recovery codes copied.': 'Wiederherstellungscodes kopiert.',
  'Recovery codes for {host}. Each works once.': 'Wiederherstellungscodes für {host}. Jeder gilt einmal.',
  'Remove access': 'Zugriff entziehen',
  'Remove access for {name}': '{name} den Zugriff entziehen',
  'Remove the passkey “{name}”?': 'Passkey „{name}“ entfernen?',
  'Repeat new password': 'Neues Passwort wiederholen',
  'Revoke {name}': '{name} widerrufen',
  'Revoke {name}?': '{name} widerrufen?',
  'Revoked {name}.': '{name} ist widerrufen.',
  'Save the codes first, then tick the box.': 'Speichere zuerst die Codes, dann kreuze das Kästchen an.',
  'Save your recovery codes': 'Speichere deine Wiederherstellungscodes',
  Security: 'Sicherheit',
  'Send a link to confirm it': 'Link zum Bestätigen senden',
  Sessions: 'Sitzungen',
  'Set a password': 'Passwort festlegen',
  'Set password': 'Passwort festlegen',
  Since: 'Seit',
  'single sign-on': 'Single Sign-on',
  'So that you can recognize it later, for example “my agent”.':
    'Damit du es später wiedererkennst, zum Beispiel „mein Agent“.',
  Stored: 'Gespeichert',
  'The download has started. Your browser shows the progress. The archive is a .tar.gz file, and its README.txt says what is in it.':
    'Der Download hat begonnen. Dein Browser zeigt den Fortschritt. Das Archiv ist eine .tar.gz-Datei, und die README.txt darin sagt, was es enthält.',
  'The passkey {name} is removed.': 'Der Passkey {name} ist entfernt.',
  'The passkey {name} is removed. It was the last one, so your password is enough to log in.':
    'Der Passkey {name} ist entfernt. Es war der letzte, also genügt dein Passwort zum Anmelden.',
  'The passwords do not match.': 'Die Passwörter stimmen nicht überein.',
  'The token can': 'Das Token darf',
  'Nobody can then log in with your password alone. Programs need a token, or <code>quire login</code>.':
    'Dann kann sich niemand nur mit deinem Passwort anmelden. Programme brauchen ein Token oder <code>quire login</code>.',
  'There are more pages. The export has all of them.': 'Es gibt mehr Seiten. Der Export enthält sie alle.',
  'this browser': 'dieser Browser',
  'This is your only way to log in. Set a password or add a passkey before you disconnect.':
    'Anders kannst du dich nicht anmelden. Lege ein Passwort fest oder füge einen Passkey hinzu, bevor du die Verbindung trennst.',
  'This logs you out everywhere else. Tokens that you created in this browser keep working.':
    'Das meldet dich überall sonst ab. Tokens, die du in diesem Browser erstellt hast, gelten weiter.',
  'This logs you out everywhere. After seven days, your pages, functions, databases and files cannot be restored. What you wrote on other people’s pages stays there without your name. Export your data first if you want to keep it.':
    'Das meldet dich überall ab. Nach sieben Tagen lassen sich deine Seiten, Funktionen, Datenbanken und Dateien nicht wiederherstellen. Was du auf Seiten anderer geschrieben hast, bleibt dort ohne deinen Namen. Exportiere zuerst deine Daten, wenn du sie behalten willst.',
  'This permanently deletes {what}. It does not delete replies and copies that others made. The page may no longer work for you as before.':
    'Das löscht endgültig: {what}. Antworten und Kopien, die andere gemacht haben, bleiben. Die Seite funktioniert für dich vielleicht nicht mehr wie vorher.',
  Tokens: 'Tokens',
  Used: 'Verwendet',
  What: 'Was',
  'What administrators of this service did to your account, pages and functions.':
    'Was Administratoren dieses Dienstes an deinem Konto, deinen Seiten und Funktionen getan haben.',
  'What it made stays. To connect it again, start from the app.':
    'Was sie erstellt hat, bleibt. Um sie wieder zu verbinden, beginne in der App.',
  'What you store on other people’s pages is listed here.':
    'Was du auf Seiten anderer speicherst, steht hier.',
  'What you stored on other people’s pages': 'Was du auf Seiten anderer gespeichert hast',
  'What you stored on {name} is deleted.': 'Gelöscht ist, was du auf {name} gespeichert hast.',
  When: 'Wann',
  'When a page reaches its limit, it asks you again.':
    'Wenn eine Seite ihre Grenze erreicht, fragt sie dich erneut.',
  'When an agent or <code>quire login</code> asks for access and you allow it, it is listed here. <a>How to connect one</a>':
    'Wenn ein Agent oder <code>quire login</code> um Zugriff bittet und du ihn erlaubst, steht er hier. <a>So verbindest du einen</a>',
  'When this login ends': 'Wenn diese Anmeldung endet',
  'Where you are logged in': 'Wo du angemeldet bist',
  'with {method}': 'mit {method}',
  'with {method} from {address}': 'mit {method} von {address}',
  'You are logged out everywhere else.': 'Du bist überall sonst abgemeldet.',
  'You can log in with it, and reset your password with it. Others do not see it.':
    'Du kannst dich damit anmelden und dein Passwort zurücksetzen. Andere sehen sie nicht.',
  'You can no longer log in with it. Your device still lists it until you delete it there too.':
    'Du kannst dich nicht mehr damit anmelden. Dein Gerät zeigt ihn noch an, bis du ihn auch dort löschst.',
  'You have {count|{count} recovery code|{count} recovery codes} left. Each logs you in once if you have lost your passkeys.':
    'Du hast noch {count|{count} Wiederherstellungscode|{count} Wiederherstellungscodes}. Jeder meldet dich einmal an, wenn du deine Passkeys verloren hast.',
  'You log in with it, and others see it. Your old name stays reserved for you for a year.':
    'Du meldest dich damit an, und andere sehen ihn. Dein alter Name bleibt ein Jahr lang für dich reserviert.',
  'Your account has been connected to {name} since {moment}. You last logged in with it {ago}.':
    'Dein Konto ist seit {moment} mit {name} verbunden. Zuletzt hast du dich {ago} damit angemeldet.',
  'Your account is no longer connected to {name}.': 'Dein Konto ist nicht mehr mit {name} verbunden.',
  'Your account is not connected to {name}.': 'Dein Konto ist nicht mit {name} verbunden.',
  'Your data': 'Deine Daten',
  'Your e-mail address is {email} now.': 'Deine E-Mail-Adresse ist jetzt {email}.',
  'Your new token.': 'Dein neues Token.',
  'Your pages and functions stop at once. After seven days they are deleted with everything else. Until then, you can log in and keep the account.':
    'Deine Seiten und Funktionen halten sofort an. Nach sieben Tagen werden sie mit allem anderen gelöscht. Bis dahin kannst du dich anmelden und das Konto behalten.',
  'Your password alone is now enough to log in.': 'Zum Anmelden genügt jetzt dein Passwort.',
  'Your password is changed, and you are logged out everywhere else.':
    'Dein Passwort ist geändert, und du bist überall sonst abgemeldet.',
  'Your username is now {username}.': 'Dein Benutzername ist jetzt {username}.',
  '{count|{count} file|{count} files}': '{count|{count} Datei|{count} Dateien}',
  '{count|{count} record|{count} records}': '{count|{count} Datensatz|{count} Datensätze}',
  '{count}+ records': 'über {count} Datensätze',
  '{name} can no longer use your credits.': '{name} kann dein Guthaben nicht mehr benutzen.',
  '{reason} on <a>{name}</a>': '{reason} auf <a>{name}</a>',
  '{used} of {limit|one credit|{limit} credits}': '{used} von {limit|einem Credit|{limit} Credits}',
  '{used} of {limit}': '{used} von {limit}',
};
