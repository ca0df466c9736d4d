/** The password of a page, if its access mode needs one. */
export interface PageAccessTable {
  page_id: number;
  password_hash: string;
}

/** The people who can see a page, by username or e-mail address, in lower case. */
export interface PagePeopleTable {
  page_id: number;
  name: string;
}
