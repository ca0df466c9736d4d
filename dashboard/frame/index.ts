/** What surrounds every screen. */
export { Connection } from './connection.tsx';
export { KeyboardHelp } from './keyboard-help.tsx';
export { type AreaLink, Sidebar, toggleSidebar } from './sidebar.tsx';
