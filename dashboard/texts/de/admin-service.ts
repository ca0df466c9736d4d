/** What the server needs: overview, health, providers, backups, and how it presents itself. */
export default {
  '<b>{size}</b> of {total} free': '<b>{size}</b> von {total} frei',
  '<code>{name}</code> cannot be restored after this.':
    '<code>{name}</code> lässt sich danach nicht mehr wiederherstellen.',
  '<code>{name}</code> failed. There is no file to delete.':
    '<code>{name}</code> ist fehlgeschlagen. Es gibt keine Datei zu löschen.',
  'A deleted account': 'Ein gelöschtes Konto',
  'Answers visitors to pages, and reads their pictures. The test costs a few tokens.':
    'Antwortet Besuchern von Seiten und liest ihre Bilder. Der Test kostet ein paar Tokens.',
  'Back up now': 'Jetzt sichern',
  Browser: 'Browser',
  'Built-in demo': 'Eingebaute Demo',
  By: 'Von',
  'Chat uses the built-in demo, which is not a real model.':
    'Der Chat verwendet die eingebaute Demo. Sie ist kein echtes Modell.',
  'Check command': 'Befehl zum Prüfen',
  'Choose a provider': 'Anbieter wählen',
  Colour: 'Farbe',
  Configured: 'Eingerichtet',
  CPU: 'Prozessor',
  'CPU, % of a core': 'Prozessor, % eines Kerns',
  'Create an account': 'Konto erstellen',
  Dark: 'Dunkel',
  'Databases of functions': 'Datenbanken von Funktionen',
  'Delete it': 'Löschen',
  'Delete the backup of {moment}': 'Sicherung vom {moment} löschen',
  'Delete this backup': 'Diese Sicherung löschen',
  Disk: 'Speicherplatz',
  'Dismiss it': 'Ausblenden',
  'Dismiss the backup of {moment}': 'Sicherung vom {moment} ausblenden',
  'Dismiss this backup': 'Diese Sicherung ausblenden',
  'Does not work.': 'Funktioniert nicht.',
  'Download the backup of {moment}': 'Sicherung vom {moment} herunterladen',
  'Download a copy: a backup on the same machine is lost with the machine. Treat backups as confidential, because they contain all data of this server.':
    'Lade sie herunter: Eine Kopie auf derselben Maschine hilft nicht, wenn die Maschine verloren geht. Eine Sicherung ist so vertraulich wie der Server.',
  'Downloading {name}': '{name} wird heruntergeladen',
  'Each function is isolated: no network, no files, no other processes.':
    'Jede Funktion ist isoliert: kein Netzwerk, keine Dateien, keine anderen Prozesse.',
  'Everything is in order.': 'Alles ist in Ordnung.',
  'Everything: accounts, pages, data, files, functions and their databases.':
    'Alles: Konten, Seiten, Daten, Dateien, Funktionen und ihre Datenbanken.',
  Failed: 'Fehlgeschlagen',
  'Files, pictures and code': 'Dateien, Bilder und Code',
  'Finds pictures for pages.': 'Findet Bilder für Seiten.',
  'For links and buttons. Quire makes it darker or lighter where it would be hard to read.':
    'Für Links und Knöpfe. Wo man sie nicht lesen könnte, wird sie dunkler oder heller.',
  'Free disk space': 'Freier Speicherplatz',
  'Function sandbox': 'Isolierung der Funktionen',
  'Functions are not isolated from each other.': 'Funktionen sind nicht voneinander isoliert.',
  'functions on workerd': 'Funktionen auf workerd',
  'Functions run as a separate user, without namespaces. Install bubblewrap for full isolation.':
    'Funktionen laufen als eigener Benutzer, ohne Namensräume. Installiere bubblewrap für volle Isolierung.',
  'Functions run in separate processes without isolation. Install bubblewrap.':
    'Funktionen laufen in eigenen Prozessen ohne Isolierung. Installiere bubblewrap.',
  'Generates pictures for pages. The test makes one image.':
    'Erzeugt Bilder für Seiten. Der Test erzeugt ein Bild.',
  Host: 'Host',
  'How to restore, step by step': 'Wiederherstellen, Schritt für Schritt',
  'In the bucket {bucket}': 'Im Bucket {bucket}',
  'Last backup': 'Letzte Sicherung',
  'less than a minute': 'weniger als eine Minute',
  'Lets people log in with an account at another service.':
    'Damit kann man sich mit einem Konto bei einem anderen Dienst anmelden.',
  Light: 'Hell',
  'limits in memory': 'Grenzen im Arbeitsspeicher',
  'Log in': 'Anmelden',
  Logo: 'Logo',
  Mail: 'E-Mail',
  'Mail is not set up, so people cannot reset their passwords themselves.':
    'E-Mail ist nicht eingerichtet, deshalb kann niemand sein Passwort selbst zurücksetzen.',
  'mail server': 'Mailserver',
  'Make a backup': 'Sicherung erstellen',
  'Back up now, or set up nightly backups as described in the documentation.':
    'Erstelle jetzt eine, oder richte nächtliche Sicherungen ein, wie die Dokumentation es beschreibt.',
  'Backup in progress': 'Sicherung wird erstellt',
  'Measured {moment}. Updated at most once a minute.':
    'Gemessen {moment}. Höchstens einmal pro Minute aktualisiert.',
  Memory: 'Arbeitsspeicher',
  'Nearly full': 'Fast voll',
  'No backups yet': 'Noch keine Sicherungen',
  'Nobody stores anything yet': 'Noch niemand speichert etwas',
  'Not set up': 'Nicht eingerichtet',
  'of {size}': 'von {size}',
  Off: 'Aus',
  'On other machines': 'Auf anderen Maschinen',
  'On this machine': 'Auf dieser Maschine',
  'One sentence at the top of the start page, and in link previews.':
    'Ein Satz oben auf der Startseite und in Vorschauen von Links.',
  'Opens pages to check them and to take screenshots.':
    'Öffnet Seiten, um sie zu prüfen und zu fotografieren.',
  Packages: 'Pakete',
  'Packages and other files': 'Pakete und andere Dateien',
  'Each page has a host of its own, separate from the dashboard and from other pages.':
    'Jede Seite hat einen eigenen Host, getrennt vom Dashboard und von anderen Seiten.',
  'Pages run in a sandbox and cannot reach the dashboard.':
    'Seiten laufen in einer Sandbox und erreichen das Dashboard nicht.',
  'Pages can do everything that their visitors can. Use this only for your own pages.':
    'Seiten können alles, was ihre Besucher können. Nur für eigene Seiten geeignet.',
  'Page isolation': 'Isolierung der Seiten',
  'Pages, files, data and databases together.': 'Seiten, Dateien, Daten und Datenbanken zusammen.',
  'Shown on the start page: who runs this server, and for whom. An empty line starts a new paragraph.':
    'Absätze auf der Startseite: wer diesen Server betreibt und für wen. Eine Leerzeile beginnt einen neuen.',
  'PNG, JPEG or WebP, at most {size}. A square works best.':
    'PNG, JPEG oder WebP, höchstens {size}. Am besten quadratisch.',
  'Provides npm packages to functions.': 'Stellt Funktionen npm-Pakete bereit.',
  'Publish a page with a back end, in a minute': 'Veröffentliche in einer Minute eine Seite mit Backend',
  'Redis (unavailable: limits and events apply to this node only)':
    'Redis (nicht erreichbar: Grenzen und Ereignisse gelten nur für diesen Knoten)',
  'Remove the logo': 'Logo entfernen',
  'Removed the logo.': 'Das Logo ist entfernt.',
  'Restore command': 'Befehl zum Wiederherstellen',
  'Running functions': 'Laufende Funktionen',
  'Running functions (limit {count})': 'Laufende Funktionen (Grenze {count})',
  'Saved the logo.': 'Das Logo ist gespeichert.',
  'Saved. Everyone sees it now; reload this tab to see it here.':
    'Gespeichert. Alle sehen es jetzt; lade diesen Tab neu, um es hier zu sehen.',
  'See the backups': 'Sicherungen ansehen',
  'See the health': 'Zustand ansehen',
  'See what uses it': 'Ansehen, was ihn belegt',
  'Send a test mail': 'Test-E-Mail senden',
  'Sends reset links, confirmations, invites and notices.':
    'Verschickt Links zum Zurücksetzen, Bestätigungen, Einladungen und Mitteilungen.',
  Service: 'Dienst',
  'Set up': 'Eingerichtet',
  'Set up mail': 'E-Mail einrichten',
  'How this server presents itself on the start page, the login screen, in the dashboard and in mail.':
    'Zu sehen auf der Startseite, bei der Anmeldung und überall sonst, im Dashboard und in E-Mails.',
  'single sign-on with {name}': 'Single Sign-on mit {name}',
  'Stop the server, then run these commands in a shell with an empty data folder. The first one only checks the file.':
    'Halte den Server an und führe das in einer Shell aus, mit einem leeren Datenordner. Der erste Befehl prüft nur die Datei.',
  Tagline: 'Motto',
  'Test AI chat': 'KI-Chat testen',
  'Test browser': 'Browser testen',
  'Test image generation': 'Bilderzeugung testen',
  'Test image search': 'Bildersuche testen',
  'Test mail': 'E-Mail testen',
  'Test packages': 'Pakete testen',
  'Test single sign-on': 'Single Sign-on testen',
  'The backup is deleted.': 'Die Sicherung ist gelöscht.',
  'The disk is almost full. When it is full, nothing can be saved.':
    'Der Speicherplatz ist fast voll. Wenn er voll ist, lässt sich nichts mehr speichern.',
  'The failed backup is dismissed.': 'Die fehlgeschlagene Sicherung ist ausgeblendet.',
  'The last backup failed.': 'Die letzte Sicherung ist fehlgeschlagen.',
  'The last backup is older than a week.': 'Die letzte Sicherung ist älter als eine Woche.',
  'The logo is larger than {size}. Choose a smaller one.':
    'Das Logo ist größer als {size}. Wähle ein kleineres.',
  'The server keeps the {count|{count} newest backup|{count} newest backups} in <code>{place}</code> and deletes older ones.':
    'Der Server behält {count|die neueste Sicherung|die {count} neuesten Sicherungen} in <code>{place}</code> und löscht ältere.',
  'The server keeps the {count|{count} newest backup|{count} newest backups} in the bucket <code>{place}</code> and deletes older ones.':
    'Der Server behält {count|die neueste Sicherung|die {count} neuesten Sicherungen} im Bucket <code>{place}</code> und löscht ältere.',
  'The service at a glance': 'Der Dienst auf einen Blick',
  'There are too many files to count them all. The real sizes are larger.':
    'Es sind zu viele Dateien, um alle zu zählen. In Wirklichkeit ist es mehr.',
  'There is no backup yet.': 'Es gibt noch keine Sicherung.',
  'This is not a real provider.': 'Das ist kein echter Anbieter.',
  'To use one, set <code>{setting}</code> and restart the server.':
    'Um einen zu verwenden, setze <code>{setting}</code> und starte den Server neu.',
  Unknown: 'Unbekannt',
  Uptime: 'Laufzeit',
  'Use the default colour': 'Standardfarbe verwenden',
  User: 'Benutzer',
  'Users who store the most': 'Wer am meisten speichert',
  Using: 'Verwendet',
  'the registry that npm uses on this machine': 'das Register, das npm auf dieser Maschine benutzt',
  'What Quire stores': 'Was Quire speichert',
  'Works.': 'Funktioniert.',
  '{count|One suspended|{count} suspended}': '{count|Einer stillgelegt|{count} stillgelegt}',
  'None suspended': 'Keiner stillgelegt',
  'None taken down': 'Keine gesperrt',
  '{count|One taken down|{count} taken down}': '{count|Eine gesperrt|{count} gesperrt}',
  '{count|One thing to look at|{count} things to look at}': '{count|Ein Punkt|{count} Punkte}',
  '{count|{count} day|{count} days}': '{count|{count} Tag|{count} Tage}',
  '{count|{count} hour|{count} hours}': '{count|{count} Stunde|{count} Stunden}',
  '{count|{count} minute|{count} minutes}': '{count|{count} Minute|{count} Minuten}',
  '{count} ms': '{count} ms',
  '{count} running': '{count} laufen',
  '{size} in PostgreSQL': '{size} in PostgreSQL',
  '{size} of {total}': '{size} von {total}',
  '{size} so far': 'Bisher {size}',
};
