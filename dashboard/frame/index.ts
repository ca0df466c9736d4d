/** What surrounds every screen. */
export { Connection } from './connection.tsx';
export { KeyboardHelp } from './keyboard-help.tsx';
export { Leaving } from './leaving.tsx';
export { type AreaLink, Sidebar, toggleSidebar } from './sidebar.tsx';
