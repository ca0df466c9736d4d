/** Teams, and pages that are shared. */
export default {
  'A page by {owner}': 'Eine Seite von {owner}',
  'Add records and files, and change your own': 'Datensätze und Dateien hinzufügen und die eigenen ändern',
  Admin: 'Admin',
  'All open invites are revoked, because they may have a link.':
    'Alle offenen Einladungen werden widerrufen, denn die Person könnte einen Link haben.',
  'All open invites are revoked.': 'Alle offenen Einladungen sind widerrufen.',
  'Anyone with this link can join. People without an account can create one first.':
    'Alle mit diesem Link können beitreten. Wer kein Konto hat, kann vorher eines erstellen.',
  'Can do everything, including deleting the page. A page has one owner, who cannot leave.':
    'Kann alles, auch die Seite löschen. Eine Seite hat einen Besitzer, der nicht gehen kann.',
  'Can edit the page and all its data, and invite and manage members and viewers.':
    'Kann die Seite und alle ihre Daten bearbeiten sowie Mitglieder und Betrachter einladen und verwalten.',
  'Can read everything, add records and files, and edit their own.':
    'Kann alles lesen, Datensätze und Dateien hinzufügen und die eigenen bearbeiten.',
  'Can read records and download files.': 'Kann Datensätze lesen und Dateien herunterladen.',
  'Can see it': 'Kann sie sehen',
  'Create link': 'Link erstellen',
  'Delete this file?': 'Diese Datei löschen?',
  'Download the files of the team': 'Die Dateien des Teams herunterladen',
  'Edit the page, its versions and its settings':
    'Die Seite, ihre Versionen und ihre Einstellungen bearbeiten',
  'Files of the team': 'Dateien des Teams',
  'Files that the team uploads, here or on the page, appear here.':
    'Dateien, die das Team hier oder auf der Seite hochlädt, erscheinen hier.',
  'Files to upload': 'Dateien zum Hochladen',
  'Go to the overview': 'Zum Überblick',
  'If you lower someone’s role or remove them, all open invites are revoked, because they may have a link.':
    'Wenn du eine Rolle herabstufst oder jemanden entfernst, werden alle offenen Einladungen widerrufen, denn die Person könnte einen Link haben.',
  'Invite and manage members and viewers': 'Mitglieder und Betrachter einladen und verwalten',
  'Invite revoked.': 'Einladung widerrufen.',
  'Invites people as {role} until {date}. Copy it now: you cannot see it again.':
    'Lädt Personen bis {date} mit der Rolle {role} ein. Kopiere ihn jetzt: Du kannst ihn nicht noch einmal sehen.',
  'Last changed {when}.': 'Zuletzt geändert {when}.',
  Leave: 'Verlassen',
  'Leave team': 'Team verlassen',
  'Leave the team': 'Team verlassen',
  'Leave this team?': 'Dieses Team verlassen?',
  'Maximum uses': 'Höchstzahl der Nutzungen',
  Member: 'Mitglied',
  Members: 'Mitglieder',
  'No files yet': 'Noch keine Dateien',
  'Nobody can join with this link anymore. People who have already joined stay.':
    'Niemand kann mehr mit diesem Link beitreten. Wer schon beigetreten ist, bleibt.',
  'None. Links are listed here until they are used up, expire or are revoked.':
    'Keine. Links stehen hier, bis sie aufgebraucht, abgelaufen oder widerrufen sind.',
  'Not for your role': 'Nicht für deine Rolle',
  'Only team apps have a team: people you invite share the data and files of the page. You can change the storage mode in the settings.':
    'Nur Team-Apps haben ein Team: Personen, die du einlädst, teilen die Daten und Dateien der Seite. Den Speichermodus kannst du in den Einstellungen ändern.',
  'Only the owner of this page and the admins of its team can open this screen.':
    'Nur der Besitzer dieser Seite und die Admins ihres Teams können diese Ansicht öffnen.',
  'Open invites': 'Offene Einladungen',
  'Open the page': 'Die Seite öffnen',
  'Open the page and read all its data': 'Die Seite öffnen und alle ihre Daten lesen',
  'Read and change all data and files': 'Alle Daten und Dateien lesen und ändern',
  'Removed {name} from the team.': '{name} ist aus dem Team entfernt.',
  'Revoke the invite for admins': 'Einladung für Admins widerrufen',
  'Revoke the invite for members': 'Einladung für Mitglieder widerrufen',
  'Revoke the invite for viewers': 'Einladung für Betrachter widerrufen',
  'Revoke this invite?': 'Diese Einladung widerrufen?',
  Role: 'Rolle',
  'Role of {name}': 'Rolle von {name}',
  'See who is in the team': 'Sehen, wer im Team ist',
  'Send invite': 'Einladung senden',
  'Sent to {email}': 'Gesendet an {email}',
  'Shared with everyone in the team. Up to {limit} each.': 'Mit allen im Team geteilt. Jede bis zu {limit}.',
  'The invite is on its way to {email}.': 'Die Einladung ist unterwegs zu {email}.',
  'The invite was not sent to {email}, because there was too much mail today. Send the link yourself.':
    'Die Einladung wurde nicht an {email} gesendet, denn heute war es zu viel Post. Verschicke den Link selbst.',
  'They lose access to the data and files of the page at once. What they added stays.':
    'Die Person verliert sofort den Zugang zu den Daten und Dateien der Seite. Was sie hinzugefügt hat, bleibt.',
  'This deletes {name} for the whole team. You cannot restore it.':
    'Das löscht {name} für das ganze Team. Du kannst die Datei nicht wiederherstellen.',
  'This page has no team': 'Diese Seite hat kein Team',
  Uploaded: 'Hochgeladen',
  'Uploaded {name}.': '{name} ist hochgeladen.',
  'Used {uses} of {max|one time|{max} times}': '{uses} von {max|einem Mal|{max} Malen} genutzt',
  'Valid for days': 'Gültig für Tage',
  Viewer: 'Betrachter',
  'What each role can do': 'Was jede Rolle kann',
  'What you can do': 'Was du tun kannst',
  'You can add data and files, and edit your own.':
    'Du kannst Daten und Dateien hinzufügen und deine eigenen bearbeiten.',
  'You can edit the page, its data and its team.': 'Du kannst die Seite, ihre Daten und ihr Team bearbeiten.',
  'You can open the page.': 'Du kannst die Seite öffnen.',
  'You can read its data and download files.': 'Du kannst ihre Daten lesen und Dateien herunterladen.',
  'You can see this page': 'Du kannst diese Seite sehen',
  'You cannot see the page at the moment: it has a password, has expired, or is only for others. Ask {owner}.':
    'Du kannst die Seite gerade nicht sehen: Sie hat ein Passwort, ist abgelaufen oder nur für andere. Frag {owner}.',
  'You joined the team {when}.': 'Du bist dem Team {when} beigetreten.',
  'You left the team of {name}.': 'Du hast das Team von {name} verlassen.',
  'You lose access to the data and files of the page at once. What you added stays.':
    'Du verlierst sofort den Zugang zu den Daten und Dateien der Seite. Was du hinzugefügt hast, bleibt.',
  'You lose access to the data and files of {name} at once. Records and files that you added stay. To come back, you need a new invite.':
    'Du verlierst sofort den Zugang zu den Daten und Dateien von {name}. Datensätze und Dateien, die du hinzugefügt hast, bleiben. Um zurückzukommen, brauchst du eine neue Einladung.',
  admin: 'Admin',
  member: 'Mitglied',
  owner: 'Besitzer',
  viewer: 'Betrachter',
  you: 'du',
  '{count|Used once|Used {count} times}, no limit':
    '{count|Einmal genutzt|{count}-mal genutzt}, keine Grenze',
  '{name} is larger than the limit of {limit}.': '{name} ist größer als die Grenze von {limit}.',
  '{name} now has the role {role}.': '{name} hat jetzt die Rolle {role}.',
  '{owner} named you as one who can see it.': '{owner} hat festgelegt, dass du sie sehen kannst.',
  '{when} by {name}': '{when} von {name}',
};
