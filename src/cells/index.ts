/** How well owner code is boxed in on this machine. */
export { probeSandbox, type SandboxLevel } from './sandbox.ts';
