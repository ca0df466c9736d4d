/** The builder, checks, and what agents get of a page. */
export default {
  'The builder stopped after its last step. What it wrote is kept as a draft. Ask it to continue.':
    'Der Builder hat nach seinem letzten Schritt aufgehört. Was er geschrieben hat, ist als Entwurf gespeichert. Bitte ihn, weiterzumachen.',
  'The builder stopped after five minutes. What it wrote is kept as a draft. Ask it to continue.':
    'Der Builder hat nach fünf Minuten aufgehört. Was er geschrieben hat, ist als Entwurf gespeichert. Bitte ihn, weiterzumachen.',
  'Your credits do not pay for another step. What the builder wrote is kept as a draft.':
    'Deine Credits reichen nicht für einen weiteren Schritt. Was der Builder geschrieben hat, ist als Entwurf gespeichert.',
  'The conversation is too long for another step. What the builder wrote is kept as a draft. Ask for a smaller change.':
    'Das Gespräch ist zu lang für einen weiteren Schritt. Was der Builder geschrieben hat, ist als Entwurf gespeichert. Bitte um eine kleinere Änderung.',
  'Stopped. What the builder wrote is kept as a draft.':
    'Gestoppt. Was der Builder geschrieben hat, ist als Entwurf gespeichert.',
  'A bakery': 'Eine Bäckerei',
  'A page for my bakery with opening hours, prices of bread and cake, and a contact form':
    'Eine Seite für meine Bäckerei mit Öffnungszeiten, Preisen für Brot und Kuchen und einem Kontaktformular',
  'A portfolio': 'Ein Portfolio',
  'A portfolio with six projects, calm and spacious, light and dark, with a form for enquiries':
    'Ein Portfolio mit sechs Projekten, ruhig und luftig, hell und dunkel, mit einem Formular für Anfragen',
  'A quiz': 'Ein Quiz',
  'A quiz about space with ten questions and a list of the best scores':
    'Ein Quiz über den Weltraum mit zehn Fragen und einer Bestenliste',
  'A sign-up sheet for a summer party where guests say what they bring, and see what others bring':
    'Eine Anmeldeliste für ein Sommerfest, auf der Gäste eintragen, was sie mitbringen, und sehen, was andere mitbringen',
  'A simple page takes about {price} of your {credits} credits. You publish it when you like it.':
    'Eine einfache Seite braucht etwa {price} deiner {credits} Credits. Du veröffentlichst sie, wenn sie dir gefällt.',
  'A summer party': 'Ein Sommerfest',
  Accept: 'Annehmen',
  Accessibility: 'Barrierefreiheit',
  'Added automatically': 'Automatisch ergänzt',
  'Agent spec deleted.': 'Beschreibung für Agenten gelöscht.',
  'Agent spec saved.': 'Beschreibung für Agenten gespeichert.',
  'Agents also get the storage mode and the schemas of the page.':
    'Agenten bekommen auch den Speichermodus und die Schemas der Seite.',
  'Agents then get only the storage mode and the schemas. You cannot restore the text.':
    'Agenten bekommen dann nur noch den Speichermodus und die Schemas. Du kannst den Text nicht wiederherstellen.',
  'As you': 'Du selbst',
  'Ask your administrator to connect one.': 'Bitte deinen Administrator, eines anzubinden.',
  'Ask your administrator to connect one. Until then, start with a template.':
    'Bitte deinen Administrator, eines anzubinden. Beginne bis dahin mit einer Vorlage.',
  'Build page': 'Seite bauen',
  'Changes a passage': 'Ändert eine Stelle',
  'Changes the function {name}': 'Ändert die Funktion {name}',
  'Checks are not available': 'Prüfungen sind nicht verfügbar',
  'Close the builder': 'Assistent schließen',
  Data: 'Daten',
  'Delete the agent spec?': 'Die Beschreibung für Agenten löschen?',
  'Deploys the function {name}': 'Stellt die Funktion {name} bereit',
  'Describe another page': 'Eine andere Seite beschreiben',
  'Describe your page': 'Beschreibe deine Seite',
  Desktop: 'Desktop',
  'Discard page': 'Seite verwerfen',
  'Discard this page?': 'Diese Seite verwerfen?',
  'Discarded.': 'Verworfen.',
  Examples: 'Beispiele',
  'Failed requests': 'Fehlgeschlagene Anfragen',
  'Fixes what the browser found': 'Behebt, was der Browser gefunden hat',
  'For each collection: what a record is, what its fields mean, an example.':
    'Für jede Sammlung: was ein Datensatz ist, was seine Felder bedeuten, ein Beispiel.',
  'For example: a warmer colour, and a form at the end':
    'Zum Beispiel: eine wärmere Farbe und ein Formular am Ende',
  'Functions for agents': 'Funktionen für Agenten',
  'Functions for agents saved.': 'Funktionen für Agenten gespeichert.',
  'Input as JSON Schema': 'Eingabe als JSON Schema',
  'It also changes {files}.': 'Ändert auch {files}.',
  'Keep as draft': 'Als Entwurf behalten',
  'Kept. Only you can see the page until you publish it.':
    'Behalten. Nur du siehst die Seite, bis du sie veröffentlichst.',
  'Looks at the data': 'Sieht sich die Daten an',
  'Looks at the page in a browser': 'Sieht sich die Seite in einem Browser an',
  'MCP server': 'MCP-Server',
  'Makes the collection {name}': 'Legt die Sammlung {name} an',
  'Names the page': 'Benennt die Seite',
  'No errors, no failed requests, and no accessibility findings.':
    'Keine Fehler, keine fehlgeschlagenen Anfragen und keine Befunde zur Barrierefreiheit.',
  'No functions yet. Agents can still use the page’s data.':
    'Noch keine Funktionen. Agenten können trotzdem die Daten der Seite nutzen.',
  'No response': 'Keine Antwort',
  'No title': 'Kein Titel',
  'Nobody has looked at the draft in a browser. {reason}':
    'Niemand hat den Entwurf in einem Browser angesehen. {reason}',
  'None yet. You can add schemas in the Data tab.': 'Noch keine. Schemas kannst du unter „Daten“ anlegen.',
  'None: this page stores no data.': 'Keiner: Diese Seite speichert keine Daten.',
  'Not logged in': 'Nicht angemeldet',
  'Not saved yet.': 'Noch nicht gespeichert.',
  Notes: 'Hinweise',
  'Open the preview': 'Vorschau öffnen',
  'Opening the page in a browser…': 'Die Seite wird in einem Browser geöffnet …',
  Progress: 'Fortschritt',
  'Proposed changes': 'Vorgeschlagene Änderungen',
  'Public URL': 'Öffentliche Adresse',
  'Reads the draft': 'Liest den Entwurf',
  'Reads the function {name}': 'Liest die Funktion {name}',
  'Reads the guide {name}': 'Liest die Anleitung {name}',
  'Reads the page': 'Liest die Seite',
  'Reads the schema of {name}': 'Liest das Schema von {name}',
  'Reads {name}': 'Liest {name}',
  Reject: 'Ablehnen',
  'Rejected. Nothing has changed.': 'Abgelehnt. Nichts hat sich geändert.',
  'Save functions': 'Funktionen speichern',
  'Saved {moment}.': 'Gespeichert am {moment}.',
  'Say what should change. The builder proposes it as a draft, and you accept or reject it.':
    'Sag, was sich ändern soll. Der Assistent schlägt es als Entwurf vor, und du nimmst ihn an oder lehnst ihn ab.',
  Schemas: 'Schemas',
  'Screenshot of the draft': 'Bildschirmfoto des Entwurfs',
  'Screenshot of the page': 'Bildschirmfoto der Seite',
  'Sets up the database of {name}': 'Richtet die Datenbank von {name} ein',
  'Show changes': 'Änderungen anzeigen',
  'Tells AI agents what this page is for and how to use it and its data. Anyone can read it.':
    'Sagt KI-Agenten, wofür diese Seite da ist und wie sie die Seite und ihre Daten nutzen. Alle können das lesen.',
  'Tells agents what the function does, and when to call it.':
    'Sagt Agenten, was die Funktion tut und wann sie sie aufrufen sollen.',
  'The browser reported no error.': 'Der Browser hat keinen Fehler gemeldet.',
  'The builder changed': 'Der Assistent hat geändert',
  'The builder changes a page from a description. It needs a language model that can call tools, and this server has none.':
    'Der Assistent ändert eine Seite nach einer Beschreibung. Dafür braucht er ein Sprachmodell, das Werkzeuge aufrufen kann, und dieser Server hat keines.',
  'The builder makes a page from a description. It needs a language model that can call tools, and this server has none.':
    'Der Assistent baut eine Seite nach einer Beschreibung. Dafür braucht er ein Sprachmodell, das Werkzeuge aufrufen kann, und dieser Server hat keines.',
  'The changes are in the editor. Publish them when you like them.':
    'Die Änderungen sind im Editor. Veröffentliche sie, wenn sie dir gefallen.',
  'The connection was lost, and the builder stopped. What it had written by then is kept as a draft.':
    'Die Verbindung ist abgebrochen, und der Assistent hat angehalten. Was er bis dahin geschrieben hat, bleibt als Entwurf erhalten.',
  'The draft could not be drawn.': 'Der Entwurf ließ sich nicht darstellen.',
  'The list': 'Die Liste',
  'The page and what was said about it are deleted. Functions that were deployed stay.':
    'Die Seite und das Gespräch darüber werden gelöscht. Bereitgestellte Funktionen bleiben.',
  'The page could not be drawn.': 'Die Seite ließ sich nicht darstellen.',
  'The page has': 'Die Seite hat',
  'There are no more functions to add: only public functions can be in the list.':
    'Es gibt keine weiteren Funktionen zum Hinzufügen: Nur öffentliche Funktionen können in der Liste sein.',
  Thinks: 'Denkt nach',
  'This is not JSON: {message}.': 'Das ist kein JSON: {message}.',
  'This is not a schema, which is a JSON object.': 'Das ist kein Schema. Ein Schema ist ein JSON-Objekt.',
  'This page is an MCP server. Agents that connect to it can use its data and features as a visitor, and call these functions.':
    'Diese Seite ist ein MCP-Server. Agenten, die sich mit ihr verbinden, können ihre Daten und Dienste wie ein Besucher nutzen und diese Funktionen aufrufen.',
  'This took {spent} credits. You have {left}.': 'Das hat {spent} Credits gekostet. Du hast noch {left}.',
  'To connect one, set {settings} and restart the server.':
    'Um eines anzubinden, setze {settings} und starte den Server neu.',
  'To connect one, set {settings} and restart the server. <a>How to connect a provider</a>':
    'Um eines anzubinden, setze {settings} und starte den Server neu. <a>So bindest du einen Anbieter an</a>',
  'Tries the function {name}': 'Probiert die Funktion {name} aus',
  URL: 'Adresse',
  Visitor: 'Besucher',
  'What agents can do': 'Was Agenten tun können',
  'What agents send. The function has to check it: anyone can call it with anything.':
    'Was Agenten senden. Die Funktion muss es prüfen: Jeder kann sie mit beliebigen Werten aufrufen.',
  'What an agent can read, add or change, and for whom.':
    'Was ein Agent lesen, hinzufügen oder ändern kann, und für wen.',
  'What is it about, who is it for, and what can people do there?':
    'Worum geht es, für wen ist sie, und was kann man dort tun?',
  'What must never happen.': 'Was nie passieren darf.',
  'What should change?': 'Was soll sich ändern?',
  'What this page is for, and who uses it.': 'Wofür diese Seite da ist und wer sie nutzt.',
  'When it must ask a person first.': 'Wann er zuerst einen Menschen fragen muss.',
  'Who to ask when something is unclear.': 'Wen man fragt, wenn etwas unklar ist.',
  Window: 'Fenster',
  'Writes the page': 'Schreibt die Seite',
  'Writes {name}': 'Schreibt {name}',
  'You have no credits. Ask your administrator for some.':
    'Du hast kein Guthaben. Bitte deinen Administrator um welches.',
  'You have no public functions to add.': 'Du hast keine öffentlichen Funktionen zum Hinzufügen.',
  'You have unsaved changes.': 'Du hast ungespeicherte Änderungen.',
  'Your page is published.': 'Deine Seite ist veröffentlicht.',
  'Your page is ready to look at': 'Deine Seite ist fertig zum Ansehen',
  'Your unsaved changes are not checked.': 'Deine ungespeicherten Änderungen werden nicht geprüft.',
  'address of the MCP server': 'Adresse des MCP-Servers',
  critical: 'kritisch',
  debug: 'Debug',
  'did not work': 'hat nicht geklappt',
  error: 'Fehler',
  info: 'Info',
  'line {line}': 'Zeile {line}',
  log: 'Ausgabe',
  minor: 'gering',
  moderate: 'mittel',
  'no response': 'keine Antwort',
  serious: 'ernst',
  unknown: 'unbekannt',
  warning: 'Warnung',
  '{count|It also deployed a function:|It also deployed functions:}':
    '{count|Bereitgestellt wurde auch eine Funktion:|Bereitgestellt wurden auch Funktionen:}',
  '{count|The browser reported a problem:|The browser reported {count} problems:}':
    '{count|Der Browser hat ein Problem gemeldet:|Der Browser hat {count} Probleme gemeldet:}',
  '{count} of {max} characters': '{count} von {max} Zeichen',
  '{count} of {max} characters: {over} too many': '{count} von {max} Zeichen: {over} zu viel',
  '{credits} credits left': 'Noch {credits} Credits',
  '{names} and {more} more': '{names} und {more} weitere',
};
