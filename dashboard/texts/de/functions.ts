/** Functions. */
export default {
  '95th percentile': '95. Perzentil',
  'A SQLite database. Your code uses it as env.DB.':
    'Eine SQLite-Datenbank. Dein Code verwendet sie als env.DB.',
  'A function can have at most {max} files.': 'Eine Funktion kann höchstens {max} Dateien haben.',
  'A function is JavaScript that runs on the server. It responds to calls from your pages or from anywhere, and can have a database. Start from a template:':
    'Eine Funktion ist JavaScript, das auf dem Server läuft. Sie antwortet auf Aufrufe deiner Seiten oder von überall, und kann eine Datenbank haben. Beginne mit einer Vorlage:',
  'A typed request handler that imports a function from another file.':
    'Beantwortet Anfragen mit Typen und importiert eine Funktion aus einer anderen Datei.',
  'API URL': 'API-Adresse',
  About: 'Über',
  'Add a schedule': 'Zeitplan hinzufügen',
  'Add a secret': 'Geheimnis hinzufügen',
  'Add one below. Your code can read it as env.NAME from the next call on.':
    'Füge unten eines hinzu. Dein Code kann es ab dem nächsten Aufruf als env.NAME lesen.',
  'Added {name}.': '{name} hinzugefügt.',
  'Adds notes to a table and lists them.': 'Fügt Notizen in eine Tabelle ein und listet sie auf.',
  'Anyone can call it once it is deployed, and it is in the list of public functions. You can change this at any time.':
    'Alle können sie aufrufen, sobald sie bereitgestellt ist, und sie steht in der Liste der öffentlichen Funktionen. Du kannst das jederzeit ändern.',
  'Anyone can call it, from pages and from anywhere. It is in the list of public functions.':
    'Alle können sie aufrufen, von Seiten und von überall. Sie steht in der Liste der öffentlichen Funktionen.',
  'Anyone can call this function now.': 'Jetzt können alle diese Funktion aufrufen.',
  'At most {size}. You cannot see it again.': 'Höchstens {size}. Du kannst es nicht noch einmal sehen.',
  Body: 'Inhalt',
  'Built-in functions': 'Eingebaute Funktionen',
  Call: 'Aufrufen',
  'Call it from a page: <code>await PageFunctions.unfurl(url)</code>.':
    'So rufst du sie auf einer Seite auf: <code>await PageFunctions.unfurl(url)</code>.',
  'Call the function to see its log here.': 'Rufe die Funktion auf, um hier ihr Protokoll zu sehen.',
  'Call the function, in the body of the test': 'Funktion aufrufen, im Inhalt des Tests',
  'Calling…': 'Wird aufgerufen …',
  Calls: 'Aufrufe',
  'Calls per day': 'Aufrufe pro Tag',
  'Calls per hour': 'Aufrufe pro Stunde',
  'Change the folders in it to move it. Imports of the old path must be changed too.':
    'Ändere die Ordner darin, um zu verschieben. Importe des alten Pfads musst du auch ändern.',
  'Choose Call, or press Ctrl-Enter in the body, to send a POST request to the deployed version. The request is sent as you.':
    'Wähle „Aufrufen“, oder drücke im Inhalt Strg-Eingabe, um eine POST-Anfrage an die bereitgestellte Version zu senden. Die Anfrage wird in deinem Namen gesendet.',
  'Clears this view. The log itself is not deleted.':
    'Leert diese Ansicht. Das Protokoll selbst wird nicht gelöscht.',
  'Connection lost. Reconnecting…': 'Verbindung verloren. Wird neu verbunden …',
  'Cron text': 'Cron-Text',
  'Ctrl-Enter or ⌘↵': 'Strg-Eingabe oder ⌘↵',
  'Ctrl-S or ⌘S': 'Strg-S oder ⌘S',
  Day: 'Tag',
  'Days are in UTC. Days without calls are not listed.':
    'Tage sind in UTC. Tage ohne Aufrufe sind nicht aufgeführt.',
  'Delayed after {count} failures': 'Verzögert nach {count} Fehlschlägen',
  'Delete this function': 'Diese Funktion löschen',
  'Delete this function?': 'Diese Funktion löschen?',
  'Delete this secret?': 'Dieses Geheimnis löschen?',
  Deploy: 'Bereitstellen',
  'Deployed version {version}.': 'Version {version} bereitgestellt.',
  'Deployed {slug}.': '{slug} bereitgestellt.',
  'Discard changes': 'Änderungen verwerfen',
  'Display name': 'Anzeigename',
  Durations: 'Dauer',
  'Edit this schedule': 'Diesen Zeitplan bearbeiten',
  'Edit {name}': '{name} bearbeiten',
  Empty: 'Leer',
  'Enter a slug. It becomes part of the URL.': 'Gib einen Kurznamen ein. Er wird Teil der Adresse.',
  'Error rate': 'Fehlerquote',
  Everything: 'Alles',
  Exception: 'Ausnahme',
  Exceptions: 'Ausnahmen',
  'Export a scheduled function from your module and deploy it. Then add a schedule, for example every day at 03:00.':
    'Exportiere eine Funktion „scheduled“ aus deinem Modul und stelle es bereit. Füge dann einen Zeitplan hinzu, zum Beispiel jeden Tag um 03:00.',
  'Fetches a web page and returns its title, description, picture and site, from its Open Graph tags.':
    'Ruft eine Webseite ab und liefert aus ihren Open-Graph-Angaben Titel, Beschreibung, Bild und Website.',
  'Fetch another site': 'Eine andere Website abrufen',
  'Fetches a web page and returns its title.': 'Ruft eine Webseite ab und gibt ihren Titel zurück.',
  'Files of the function': 'Dateien der Funktion',
  'For example Europe/Berlin or UTC.': 'Zum Beispiel Europe/Berlin oder UTC.',
  'For example text.ts or data.json. With a slash it goes into a folder: lib/text.ts.':
    'Zum Beispiel text.ts oder data.json. Mit einem Schrägstrich kommt sie in einen Ordner: lib/text.ts.',
  'From the next call on, <code>env.{name}</code> is undefined. You cannot restore the value.':
    'Ab dem nächsten Aufruf ist <code>env.{name}</code> undefined. Du kannst den Wert nicht wiederherstellen.',
  Hello: 'Hallo',
  'Host URL': 'Host-Adresse',
  Hour: 'Stunde',
  'Hours without calls are not listed.': 'Stunden ohne Aufrufe sind nicht aufgeführt.',
  'Import a file:': 'Eine Datei importieren:',
  'Import an npm package:': 'Ein npm-Paket importieren:',
  'In your code': 'In deinem Code',
  'It belongs to {owner}. Only the owner can see its code and logs.':
    'Sie gehört {owner}. Nur der Besitzer kann Code und Protokoll sehen.',
  'It goes on. The log will say how it ends.': 'Er läuft weiter. Das Protokoll sagt dir, wie er endet.',
  'It is part of Quire.': 'Sie ist Teil von Quire.',
  'It printed more. See the log.': 'Er hat mehr ausgegeben. Sieh im Protokoll nach.',
  'It printed nothing.': 'Er hat nichts ausgegeben.',
  'JSON API with a database': 'JSON-API mit Datenbank',
  'Last run': 'Letzter Lauf',
  'Last {count} calls': 'Die letzten {count} Aufrufe',
  'Log entries': 'Einträge des Protokolls',
  'Log of this call': 'Protokoll dieses Aufrufs',
  Logs: 'Protokoll',
  Longest: 'Längste',
  'Main module': 'Hauptmodul',
  Median: 'Median',
  'Median duration': 'Mittlere Dauer',
  'Minute, hour, day of the month, month, day of the week. <code>0 3 * * *</code> is every day at 03:00, <code>*/15 * * * *</code> every 15 minutes.':
    'Minute, Stunde, Tag des Monats, Monat, Wochentag. <code>0 3 * * *</code> ist jeden Tag um 03:00, <code>*/15 * * * *</code> alle 15 Minuten.',
  'New database': 'Neue Datenbank',
  'Next run': 'Nächster Lauf',
  'No body.': 'Kein Inhalt.',
  'No calls in this period.': 'Keine Aufrufe in diesem Zeitraum.',
  'No calls in this period. Call the function to see them here.':
    'Keine Aufrufe in diesem Zeitraum. Rufe die Funktion auf, um sie hier zu sehen.',
  'No changes: version {version} is live.': 'Keine Änderungen: Version {version} ist live.',
  'No database': 'Keine Datenbank',
  'No entries found': 'Keine Einträge gefunden',
  'No entries yet': 'Noch keine Einträge',
  'No entry matches your search.': 'Kein Eintrag passt zu deiner Suche.',
  'No functions yet': 'Noch keine Funktionen',
  'No schedules yet': 'Noch keine Zeitpläne',
  'No secrets yet': 'Noch keine Geheimnisse',
  'None of your functions has “{words}” in its name or description.':
    'Keine deiner Funktionen hat „{words}“ im Namen oder in der Beschreibung.',
  'Not deployed yet': 'Noch nicht bereitgestellt',
  'Not yet': 'Noch nicht',
  'Only a request handler.': 'Beantwortet nur Anfragen.',
  'Only the first {size} are shown.': 'Nur die ersten {size} werden gezeigt.',
  'Only this function uses the database. It is deleted with the function.':
    'Nur diese Funktion verwendet die Datenbank. Sie wird mit der Funktion gelöscht.',
  'Only you can call it, with a token. Pages and other people get “not found”.':
    'Nur du kannst sie aufrufen, mit einem Token. Seiten und andere bekommen „nicht gefunden“.',
  'Only you can call it, with a token. Pages cannot call it. You can change this at any time.':
    'Nur du kannst sie aufrufen, mit einem Token. Seiten können sie nicht aufrufen. Du kannst das jederzeit ändern.',
  'Only you can call this function now.': 'Jetzt kannst nur du diese Funktion aufrufen.',
  'Only you see this. Callers get only the response.':
    'Nur du siehst das. Aufrufer bekommen nur die Antwort.',
  'Optional. Shown to people instead of the slug.': 'Freiwillig. Wird statt des Kurznamens gezeigt.',
  Pause: 'Anhalten',
  'Paused, {count} new': 'Angehalten, {count} neu',
  'Permanently deletes the code, logs, secrets and statistics. Calls to its URL then fail.':
    'Löscht Code, Protokoll, Geheimnisse und Statistiken endgültig. Aufrufe ihrer Adresse schlagen dann fehl.',
  Query: 'Abfrage',
  'Quire keeps the latest {max} entries. Calls and exceptions are logged automatically. To log more, use <code>console.log</code>.':
    'Quire behält die neuesten {max} Einträge. Aufrufe und Ausnahmen werden von selbst protokolliert. Für mehr verwende <code>console.log</code>.',
  'Reads a name from the request and returns a greeting.':
    'Liest einen Namen aus der Anfrage und antwortet mit einem Gruß.',
  'Removed {name}.': '{name} entfernt.',
  'Replace your code?': 'Deinen Code ersetzen?',
  'Replace {name}': '{name} ersetzen',
  'Request body': 'Inhalt der Anfrage',
  Response: 'Antwort',
  Resume: 'Fortsetzen',
  'Run now': 'Jetzt ausführen',
  'Run now: {name}': 'Jetzt ausführen: {name}',
  'Run {name}': '{name} ausführen',
  'Running…': 'Läuft …',
  'Runs your module’s <code>scheduled(controller, env, ctx)</code>. Times are in your time zone, {zone}.':
    'Führt <code>scheduled(controller, env, ctx)</code> deines Moduls aus. Zeiten sind in deiner Zeitzone, {zone}.',
  'Saved {name}. Your code can read it from the next call on.':
    '{name} gespeichert. Dein Code kann es ab dem nächsten Aufruf lesen.',
  'Saved.': 'Gespeichert.',
  Schedules: 'Zeitpläne',
  'Search the log': 'Protokoll durchsuchen',
  Secrets: 'Geheimnisse',
  'Secrets, the database and the settings are not part of a version. They stay as they are.':
    'Geheimnisse, Datenbank und Einstellungen gehören nicht zu einer Version. Sie bleiben, wie sie sind.',
  'Shared with {slug}': 'Geteilt mit {slug}',
  'Shared with:': 'Geteilt mit:',
  'Show as a table': 'Als Tabelle zeigen',
  'Show line {line} of {file}': 'Zeile {line} von {file} zeigen',
  'Shown in the list of public functions. At most {max} characters.':
    'Steht in der Liste der öffentlichen Funktionen. Höchstens {max} Zeichen.',
  'Start from': 'Beginnen mit',
  Statistics: 'Statistiken',
  'Strings for your code, such as API keys of other services. Your code reads them as <code>env.NAME</code>. They are stored encrypted and cannot be shown again.':
    'Texte für deinen Code, zum Beispiel API-Schlüssel anderer Dienste. Dein Code liest sie als <code>env.NAME</code>. Sie werden verschlüsselt gespeichert und können nicht noch einmal gezeigt werden.',
  System: 'System',
  'Test console': 'Testkonsole',
  'The body is not text, so it is not shown.': 'Der Inhalt ist kein Text und wird deshalb nicht gezeigt.',
  'The call printed more. See the log.': 'Der Aufruf hat mehr ausgegeben. Sieh im Protokoll nach.',
  'The connection was lost before the response was complete.':
    'Die Verbindung ist abgebrochen, bevor die Antwort vollständig war.',
  'The editor returns to version {version}, which is live.':
    'Der Editor kehrt zu Version {version} zurück, die live ist.',
  'The function has {path}, and a file cannot be a folder too.':
    'Die Funktion hat {path}, und eine Datei kann nicht zugleich ein Ordner sein.',
  'The last {count} versions of the code are kept. Secrets, the database and the settings are not part of a version.':
    'Die letzten {count} Versionen des Codes bleiben erhalten. Geheimnisse, Datenbank und Einstellungen gehören nicht zu einer Version.',
  'The name must end in .ts, .tsx, .js, .jsx, or in {endings}.':
    'Der Name muss auf .ts, .tsx, .js, .jsx oder auf {endings} enden.',
  'The name {name} is reserved for the database.': 'Der Name {name} ist für die Datenbank reserviert.',
  'The slug must start and end with a letter or digit.':
    'Der Kurzname muss mit einem Buchstaben oder einer Ziffer beginnen und enden.',
  'The template “{title}” replaces the code in the editor.':
    'Die Vorlage „{title}“ ersetzt den Code im Editor.',
  'This deletes the folder {path} with {count|{count} file|{count} files} from the editor. The version that is live keeps it until you deploy.':
    'Das löscht den Ordner {path} mit {count|{count} Datei|{count} Dateien} aus dem Editor. Die Version, die live ist, behält ihn, bis du bereitstellst.',
  'This deletes {path} from the editor. The version that is live keeps it until you deploy.':
    'Das löscht {path} aus dem Editor. Die Version, die live ist, behält es, bis du bereitstellst.',
  'This function was created without a database, and one cannot be added later. Create a new function to use a database.':
    'Diese Funktion wurde ohne Datenbank erstellt, und später lässt sich keine hinzufügen. Erstelle eine neue Funktion, um eine Datenbank zu verwenden.',
  'This is not valid JSON. It is sent unchanged.':
    'Das ist kein gültiges JSON. Es wird unverändert gesendet.',
  'This loads the code of version {version} and deploys it as a new version. If it no longer loads, the current version keeps serving.':
    'Das lädt den Code von Version {version} und stellt ihn als neue Version bereit. Wenn er sich nicht mehr laden lässt, läuft die aktuelle Version weiter.',
  'Time zone': 'Zeitzone',
  'TypeScript with two files': 'TypeScript mit zwei Dateien',
  'Unfurl a URL': 'Vorschau eines Links',
  'Updated {ago}': 'Geändert {ago}',
  'Updates automatically.': 'Aktualisiert sich automatisch.',
  'Uppercase letters, digits and _, for example API_KEY.':
    'Großbuchstaben, Ziffern und _, zum Beispiel API_KEY.',
  'Use at most {max} characters.': 'Verwende höchstens {max} Zeichen.',
  'Use at most {max} characters. This slug has {count}.':
    'Verwende höchstens {max} Zeichen. Dieser Kurzname hat {count}.',
  'Use letters, digits, dots, hyphens and underscores. With a slash it goes into a folder: lib/text.ts.':
    'Verwende Buchstaben, Ziffern, Punkte, Bindestriche und Unterstriche. Mit einem Schrägstrich kommt sie in einen Ordner: lib/text.ts.',
  'Use only A-Z, 0-9 and _, start with a letter, and use at most 100 characters.':
    'Verwende nur A-Z, 0-9 und _, beginne mit einem Buchstaben, und verwende höchstens 100 Zeichen.',
  'Use only a-z, 0-9 and hyphens.': 'Verwende nur a-z, 0-9 und Bindestriche.',
  'Version {version} does not exist, or is no longer kept.':
    'Version {version} gibt es nicht, oder sie ist nicht mehr erhalten.',
  'Version {version} is live': 'Version {version} ist live',
  'Warnings and errors': 'Warnungen und Fehler',
  'You cannot change it later. The URL is {url}': 'Du kannst ihn später nicht ändern. Die Adresse ist {url}',
  'You cannot edit this function': 'Du kannst diese Funktion nicht bearbeiten',
  'You cannot restore its code, logs and secrets.':
    'Du kannst Code, Protokoll und Geheimnisse nicht wiederherstellen.',
  'You cannot restore its code, logs and secrets. <strong>Its database is deleted too</strong>, because no other function uses it. Export it first if you may need it.':
    'Du kannst Code, Protokoll und Geheimnisse nicht wiederherstellen. <strong>Auch ihre Datenbank wird gelöscht</strong>, weil keine andere Funktion sie verwendet. Exportiere sie vorher, falls du sie noch brauchst.',
  'You cannot restore its code, logs and secrets. The database stays, because {names} {count|uses|use} it.':
    'Du kannst Code, Protokoll und Geheimnisse nicht wiederherstellen. Die Datenbank bleibt, weil {names} sie {count|verwendet|verwenden}.',
  'You stopped the call.': 'Du hast den Aufruf angehalten.',
  'Your changes are based on version {base}, but version {version} has been deployed since. If you deploy, your code replaces it.':
    'Deine Änderungen beruhen auf Version {base}, aber inzwischen wurde Version {version} bereitgestellt. Wenn du bereitstellst, ersetzt dein Code sie.',
  'Your changes to {slug} are stored in this browser. They are not deployed.':
    'Deine Änderungen an {slug} sind in diesem Browser gespeichert. Sie sind nicht bereitgestellt.',
  functions: 'Funktionen',
  'in {ms} ms': 'in {ms} ms',
  interrupted: 'unterbrochen',
  'no body': 'kein Inhalt',
  ok: 'ok',
  running: 'läuft',
  '{count|One header|{count} headers}': '{count|Ein Header|{count} Header}',
  '{ms} ms': '{ms} ms',
  '{path} is the main module.': '{path} ist das Hauptmodul.',
  '{slug}, created {date}.': '{slug}, erstellt am {date}.',
  '{errors} of {calls|1 call|{calls} calls} failed in the last day':
    '{errors} von {calls|1 Aufruf|{calls} Aufrufen} am letzten Tag fehlgeschlagen',
};
