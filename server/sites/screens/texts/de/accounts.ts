/** Logging in, registering, and recovering an account. */
export default {
  'Log in to {name} to publish and change your pages.':
    'Melde dich bei {name} an, um deine Seiten zu veröffentlichen und zu ändern.',
  'Create an account on {name} to publish pages with functions, databases and data.':
    'Lege ein Konto bei {name} an, um Seiten mit Funktionen, Datenbanken und Daten zu veröffentlichen.',
  'Set a new password for your account on {name}.': 'Lege ein neues Passwort für dein Konto bei {name} fest.',
  'Log in': 'Anmelden',
  'Log out': 'Abmelden',
  'Log in again': 'Erneut anmelden',
  'You are not logged in': 'Du bist nicht angemeldet',
  'Continue with {name}': 'Weiter mit {name}',
  'Log in another way': 'Anders anmelden',
  'Choose a username': 'Wähle einen Benutzernamen',
  '{provider} says that your address is {email}. Your account gets this address. You log in with {provider}, so you do not need a password here.':
    'Laut {provider} ist deine Adresse {email}. Dein Konto bekommt diese Adresse. Du meldest dich mit {provider} an und brauchst hier kein Passwort.',
  'Create account': 'Konto anlegen',
  'Have an account with another address? <a href="/login?next={0}">Log in</a> and connect it to {1}.':
    'Du hast ein Konto mit einer anderen Adresse? <a href="/login?next={0}">Melde dich an</a> und verbinde es mit {1}.',
  'Connect your account': 'Verbinde dein Konto',
  'There is an account with the address {email}: {username}. Enter its password once to connect it to {provider}.':
    'Es gibt ein Konto mit der Adresse {email}: {username}. Gib einmal dessen Passwort ein, um es mit {provider} zu verbinden.',
  Connect: 'Verbinden',
  'No password, or a second factor? <a href="{0}">Log in another way</a>, or <a href="/forgot">set a new password</a>.':
    'Kein Passwort, oder ein zweiter Faktor? <a href="{0}">Melde dich anders an</a> oder <a href="/forgot">setze ein neues Passwort</a>.',
  'You are logged in as {username}. Connect this account to {provider} to log in with {provider} next time.':
    'Du bist als {username} angemeldet. Verbinde dieses Konto mit {provider}, um dich künftig mit {provider} anzumelden.',
  'There is an account with the address {0}: <strong>{1}</strong>. Log in to it once to connect it to {2}.':
    'Es gibt ein Konto mit der Adresse {0}: <strong>{1}</strong>. Melde dich einmal dort an, um es mit {2} zu verbinden.',
  'Then you return to where you were.': 'Danach geht es dort weiter, wo du warst.',
  'Forgot your password?': 'Passwort vergessen?',
  'New here? <a href="/register?next={0}">Create an account</a>':
    'Neu hier? <a href="/register?next={0}">Lege ein Konto an</a>',
  'New here? You need an invite from an administrator of this server.':
    'Neu hier? Du brauchst eine Einladung von der Verwaltung dieses Servers.',
  'Only the operator of this server can create accounts.':
    'Nur der Betreiber dieses Servers kann Konten anlegen.',
  'Create an account': 'Konto anlegen',
  'You are invited: {note}': 'Du bist eingeladen: {note}',
  'Have one already? <a href="/login?next={0}">Log in</a>':
    'Du hast schon eins? <a href="/login?next={0}">Melde dich an</a>',
  'Set up Quire': 'Quire einrichten',
  'Log in to make your account the administrator, or give an e-mail address to create one.':
    'Melde dich an, um dein Konto zum Verwalter zu machen, oder gib eine E-Mail-Adresse an, um eines anzulegen.',
  'Become administrator': 'Verwalter werden',
  'You are logged in as {username}. This server has no administrator yet.':
    'Du bist als {username} angemeldet. Dieser Server hat noch keinen Verwalter.',
  'Become administrator as {username}': 'Als {username} Verwalter werden',
  'Not you? <a href="/setup?code={0}&amp;other=yes">Use another account</a>':
    'Nicht du? <a href="/setup?code={0}&amp;other=yes">Anderes Konto verwenden</a>',
  'Log out?': 'Abmelden?',
  'You are logged in as <strong>{0}</strong>. Pages that you have open will no longer recognize you.':
    'Du bist als <strong>{0}</strong> angemeldet. Geöffnete Seiten erkennen dich danach nicht mehr.',
  'Stay logged in': 'Angemeldet bleiben',
  'You are logged out': 'Du bist abgemeldet',
  'This browser can no longer use your account.': 'Dieser Browser hat keinen Zugang mehr zu deinem Konto.',
  'Logged out': 'Abgemeldet',
  'This invite does not work': 'Diese Einladung gilt nicht',
  'Have an account already? <a href="/login?next={0}">Log in</a>':
    'Du hast schon ein Konto? <a href="/login?next={0}">Melde dich an</a>',
  'You are now an administrator': 'Du bist jetzt Verwalter',
  '<strong>{0}</strong> can now manage users, pages and functions, and see how the server is doing.':
    '<strong>{0}</strong> kann jetzt Benutzer, Seiten und Funktionen verwalten und sehen, wie es dem Server geht.',
  'Go to administration': 'Zur Verwaltung',
  'Go to your pages': 'Zu deinen Seiten',
  'This setup link no longer works': 'Dieser Einrichtungslink gilt nicht mehr',
  'It has already been used or replaced. While there is no administrator, each start of the server prints a new one.':
    'Er wurde schon benutzt oder ersetzt. Solange es keinen Verwalter gibt, gibt der Server bei jedem Start einen neuen aus.',
  'Set a new password': 'Neues Passwort setzen',
  'We send a link to the e-mail address of your account.':
    'Wir senden einen Link an die E-Mail-Adresse deines Kontos.',
  'Send the link': 'Link senden',
  'Remember it? <a href="/login">Log in</a>': 'Wieder eingefallen? <a href="/login">Melde dich an</a>',
  'Ask an administrator': 'Frage die Verwaltung',
  'This server does not send mail. An administrator can give you a link to set a new password.':
    'Dieser Server versendet keine E-Mails. Ein Verwalter kann dir einen Link geben, mit dem du ein neues Passwort setzt.',
  'Check your mail': 'Sieh in dein Postfach',
  'If there is such an account, a link is on its way to its e-mail address. It works once, for one hour.':
    'Falls es ein solches Konto gibt, ist ein Link zu seiner E-Mail-Adresse unterwegs. Er gilt einmal, eine Stunde lang.',
  'No mail? Check your spam folder, or <a href="/forgot">try another name or address</a>.':
    'Keine E-Mail? Sieh im Spam-Ordner nach oder <a href="/forgot">versuche einen anderen Namen oder eine andere Adresse</a>.',
  'Go to the login page': 'Zur Anmeldung',
  'For the account {username}. This logs the account out everywhere, and removes its tokens and connected apps.':
    'Für das Konto {username}. Es wird überall abgemeldet, und seine Tokens und verbundenen Apps werden entfernt.',
  'Set the password': 'Passwort setzen',
  'Your password has changed': 'Dein Passwort wurde geändert',
  'Confirm your address': 'Bestätige deine Adresse',
  'Is {email} the address of the account {username}?': 'Ist {email} die Adresse des Kontos {username}?',
  'Confirm the address': 'Adresse bestätigen',
  'Not your account? Close this page. Nothing changes.':
    'Nicht dein Konto? Schließe diese Seite. Es ändert sich nichts.',
  'The address is confirmed': 'Die Adresse ist bestätigt',
  '<strong>{0}</strong> is the address of the account <strong>{1}</strong>.':
    '<strong>{0}</strong> ist die Adresse des Kontos <strong>{1}</strong>.',
  'This link does not work': 'Dieser Link gilt nicht',
  'Get a new link': 'Neuen Link holen',
  'Go to your account': 'Zu deinem Konto',
  'Use your passkey': 'Verwende deinen Passkey',
  'Your password is correct. Now confirm with a passkey that you are {username}.':
    'Dein Passwort stimmt. Bestätige jetzt mit einem Passkey, dass du {username} bist.',
  'Passkeys need JavaScript. Turn it on, or use a recovery code.':
    'Passkeys brauchen JavaScript. Schalte es ein oder verwende einen Wiederherstellungscode.',
  'Use a recovery code': 'Wiederherstellungscode verwenden',
  'Lost your passkeys and your codes? Ask an administrator of this server. <a href="/login?next={0}">Start again</a>':
    'Passkeys und Codes verloren? Frage die Verwaltung dieses Servers. <a href="/login?next={0}">Von vorn beginnen</a>',
  'Log in with a passkey': 'Mit einem Passkey anmelden',
  'Continue with a passkey': 'Weiter mit einem Passkey',
  'Keep your account?': 'Konto behalten?',
  'The account <strong>{0}</strong> will be deleted on {1}, with its pages, functions and data. Until then nobody can use it or see its pages.':
    'Das Konto <strong>{0}</strong> wird am {1} mit seinen Seiten, Funktionen und Daten gelöscht. Bis dahin kann es niemand benutzen oder seine Seiten sehen.',
  'Keep my account': 'Mein Konto behalten',
  'Your account is kept': 'Dein Konto bleibt',
  'Everything is as it was. Your sessions and tokens work again.':
    'Alles ist wie zuvor. Deine Sitzungen und Tokens gelten wieder.',
  'This form has expired': 'Dieses Formular ist abgelaufen',
  'Log in to continue.': 'Melde dich an, um fortzufahren.',
};
