export {
  createSandbox,
  type ListeningSandbox,
  type Sandbox,
  type SandboxOptions,
  sandboxKey,
} from './sandbox.ts';
export type { Studio } from './studio.ts';
export type { Switches } from './switches.ts';
