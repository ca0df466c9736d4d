/** What people allow pages and apps. */
export default {
  'You can close this tab and go on where you were.':
    'Du kannst diesen Tab schließen und dort weitermachen, wo du warst.',
  'Changed your mind? <a href="{0}">Change it or take it back</a>':
    'Anders überlegt? <a href="{0}">Ändere es oder nimm es zurück</a>',
  'If the page opened this tab, close it and go on where you were.':
    'Falls die Seite diesen Tab geöffnet hat, schließe ihn und mach dort weiter, wo du warst.',
  'Back to the page': 'Zurück zur Seite',
  'Nothing has changed': 'Nichts hat sich geändert',
  'The page “<strong>{0}</strong>” was not allowed anything more.':
    'Der Seite „<strong>{0}</strong>“ wurde nichts weiter erlaubt.',
  'Taken back': 'Zurückgenommen',
  'The page “<strong>{0}</strong>” may no longer spend your credits or publish pages in your name.':
    'Die Seite „<strong>{0}</strong>“ darf dein Guthaben nicht mehr ausgeben und keine Seiten mehr in deinem Namen veröffentlichen.',
  Done: 'Fertig',
  'The page “<strong>{0}</strong>” may now publish pages in your name.':
    'Die Seite „<strong>{0}</strong>“ darf jetzt Seiten in deinem Namen veröffentlichen.',
  'The page “<strong>{0}</strong>” may now spend up to {1} of yours, and publish pages in your name.':
    'Die Seite „<strong>{0}</strong>“ darf jetzt bis zu {1} von dir ausgeben und Seiten in deinem Namen veröffentlichen.',
  'The page “<strong>{0}</strong>” may now spend up to {1} of yours.':
    'Die Seite „<strong>{0}</strong>“ darf jetzt bis zu {1} von dir ausgeben.',
  'How many more credits can it use at most?': 'Wie viele weitere Credits darf sie höchstens verbrauchen?',
  'How many credits can it use at most?': 'Wie viele Credits darf sie höchstens verbrauchen?',
  None: 'Keine',
  Other: 'Andere',
  'Another number': 'Eine andere Zahl',
  'A whole number from 1 to {max}.': 'Eine ganze Zahl von 1 bis {max}.',
  'Choose a whole number from 1 to {max}.': 'Wähle eine ganze Zahl von 1 bis {max}.',
  'Choose how many credits the page may spend.': 'Wähle, wie viele Credits die Seite ausgeben darf.',
  'Choose what the page may do, or choose Not now.': 'Wähle, was die Seite darf, oder wähle „Jetzt nicht“.',
  '{count|{amount} credit|{amount} credits}': '{count|{amount} Credit|{amount} Credits}',
  'AI chat: 1 credit for {tokens} tokens (about 1,900 words)':
    'KI-Chat: 1 Credit für {tokens} Tokens (etwa 1.900 Wörter)',
  'Image generation: {price} each': 'Bilder erzeugen: je {price}',
  'Image recognition: {price} each': 'Bilderkennung: je {price}',
  'a page by {name}': 'eine Seite von {name}',
  'Nothing is taken now; each use takes what it costs. At the limit it stops, and you are asked again.':
    'Jetzt wird nichts abgezogen; jede Nutzung kostet so viel, wie sie kostet. An der Grenze ist Schluss, und du wirst wieder gefragt.',
  'You can take all of this back here at any time.': 'Du kannst all das hier jederzeit zurücknehmen.',
  Allow: 'Erlauben',
  'Take it back': 'Zurücknehmen',
  'Publish in your name?': 'In deinem Namen veröffentlichen?',
  'Allow more credits?': 'Mehr Credits erlauben?',
  'Use your credits?': 'Dein Guthaben verwenden?',
  'This page wants to publish pages in your name. That costs nothing.':
    'Diese Seite möchte Seiten in deinem Namen veröffentlichen. Das kostet nichts.',
  'This page wants to use your credits and publish pages in your name.':
    'Diese Seite möchte dein Guthaben verwenden und Seiten in deinem Namen veröffentlichen.',
  'This page wants to use your credits.': 'Diese Seite möchte dein Guthaben verwenden.',
  'It has used {used} of the {limit} you allowed it.':
    'Sie hat {used} von den {limit} verbraucht, die du erlaubt hast.',
  'It has used {used}.': 'Sie hat {used} verbraucht.',
  'You have {balance}.': 'Du hast {balance}.',
  'You have no credits to allow. An administrator of this server can give you some.':
    'Du hast kein Guthaben, das du freigeben könntest. Die Verwaltung dieses Servers kann dir welches geben.',
  'It may publish pages in my name': 'Sie darf Seiten in meinem Namen veröffentlichen',
  'Nothing to allow': 'Nichts zu erlauben',
  'The page “<strong>{0}</strong>” has nothing that uses credits.':
    'Die Seite „<strong>{0}</strong>“ hat nichts, was Guthaben verbraucht.',
  'What you allowed it earlier counts again if its owner adds something.':
    'Was du früher erlaubt hast, gilt wieder, wenn ihr Besitzer etwas hinzufügt.',
  'Connect this app?': 'Diese App verbinden?',
  'You then return to <strong>{0}</strong>.': 'Danach geht es zurück zu <strong>{0}</strong>.',
  'It can': 'Sie kann',
  'Select all': 'Alle auswählen',
  'I know this app and want to connect it.': 'Ich kenne diese App und möchte sie verbinden.',
  'Do not allow': 'Nicht erlauben',
  'It can do this until you disconnect it under <em>Account, Connected apps</em>, or do not use it for 30 days. It never sees your password, and cannot manage your account.':
    'Sie kann das, bis du sie unter <em>Konto, Verbundene Apps</em> trennst oder 30 Tage nicht benutzt. Sie sieht nie dein Passwort und kann dein Konto nicht verwalten.',
  'Part of Quire.': 'Teil von Quire.',
  'Published at {origin}.': 'Veröffentlicht unter {origin}.',
  'The app chose this name itself. Nobody has checked it.':
    'Die App hat diesen Namen selbst gewählt. Niemand hat ihn geprüft.',
  'This app wants to use your account at <strong>{0}</strong>.':
    'Diese App möchte dein Konto bei <strong>{0}</strong> verwenden.',
  'This app wants to use the page “<strong>{0}</strong>” (/p/{1}) as you, and nothing else.':
    'Diese App möchte die Seite „<strong>{0}</strong>“ (/p/{1}) in deinem Namen verwenden und sonst nichts.',
  'This app cannot be connected': 'Diese App kann nicht verbunden werden',
  'Nothing was allowed. If you develop the app, see the <a href="/docs/agents">documentation</a>.':
    'Nichts wurde erlaubt. Wenn du die App entwickelst, sieh in die <a href="/docs/agents">Dokumentation</a>.',
  'Return to {place}': 'Zurück zu {place}',
  'just now': 'gerade eben',
  '{count|a minute ago|{count} minutes ago}': '{count|vor einer Minute|vor {count} Minuten}',
  'your own network address': 'deiner eigenen Netzadresse',
  'the network address <strong>{0}</strong>. Yours is {1}':
    'der Netzadresse <strong>{0}</strong>. Deine ist {1}',
  'Only allow this if you started the program yourself, and it shows <strong>{0}</strong>. If somebody sent you this code or a link, they want to use your account. The program asked {1}, from {2}.':
    'Erlaube das nur, wenn du das Programm selbst gestartet hast und es <strong>{0}</strong> zeigt. Wenn dir jemand diesen Code oder einen Link geschickt hat, will er dein Konto benutzen. Das Programm hat {1} gefragt, von {2}.',
  'Not allowed': 'Nicht erlaubt',
  'The program gets no access. You can close this tab.':
    'Das Programm bekommt keinen Zugang. Du kannst diesen Tab schließen.',
  Connected: 'Verbunden',
  '<strong>{0}</strong> continues by itself in a few seconds. You can close this tab.':
    '<strong>{0}</strong> macht in wenigen Sekunden von selbst weiter. Du kannst diesen Tab schließen.',
  'Connect a program': 'Ein Programm verbinden',
  'Type the code that the program shows, for example after <code>quire login</code>.':
    'Gib den Code ein, den das Programm zeigt, zum Beispiel nach <code>quire login</code>.',
  Code: 'Code',
  'Eight letters. Never type a code that somebody sent you.':
    'Acht Buchstaben. Gib nie einen Code ein, den dir jemand geschickt hat.',
  'See your connected apps': 'Deine verbundenen Apps ansehen',
};
