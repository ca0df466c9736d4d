/** The first file of an export. */
export const writeReadme = ({ baseUrl, at }: { baseUrl: string; at: string }) => `Your data at ${baseUrl}
Exported at ${at} (UTC). All times in these files are in UTC.

account.json            who you are, how you log in, your sessions, tokens, passkeys and invites
activity.jsonl          what you did that is in the audit log, and what administrators did to your things
mail.json               mail that was sent to you
connected-apps.json     apps that you connected
credits/                your balance, and every credit that you got or spent
pages/<page>/           each of your pages:
  page.json               settings, domains, former addresses, people who can see it
  site/                   the document and the files of the current version
  versions/               earlier documents; versions/files/ has files that only earlier versions use, by SHA-256
  drafts/                 documents that are not published; versions/files/ has their files
  data/                   records, one file for each collection, and schemas.json;
                          .history.jsonl has what records were before they changed
  team/                   members, invites and files
  forms/                  messages from forms and their files
  agent-spec.json         the agent spec
  analytics.json          how it was used by day, and errors in visitors' browsers
  editor-messages.jsonl   the editing thread
functions/<function>/   code, earlier versions, schedules, jobs, statistics and logs
databases/<id>/         databases of functions as SQLite files; keep database.sqlite and database.sqlite-wal together;
                        saved-queries.json has the queries that you saved
images/                 pictures that were generated for you, and previews of your pages
elsewhere/<page id>/    what you stored on other people's pages

Files that end in .jsonl have one JSON value in each line. A long one continues in name.2.jsonl, name.3.jsonl and so on.

Left out, on purpose: passwords, the values of tokens and of your functions' secrets, the private records of visitors
of your pages, and screenshots of page checks, which are deleted after a day.
What changed during the export may be there in its old or in its new form.
`;
