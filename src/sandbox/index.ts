export {
  createSandbox,
  type ListeningSandbox,
  type Sandbox,
  type SandboxOptions,
  sandboxKey,
} from './sandbox.ts';
export type { Switches } from './switches.ts';
export type { Studio } from './tasks/studio.ts';
