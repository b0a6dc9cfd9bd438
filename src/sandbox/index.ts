export type { Behavior } from './account/behavior.ts';
export {
  createSandbox,
  type ListeningSandbox,
  type Sandbox,
  type SandboxOptions,
  sandboxKey,
} from './sandbox.ts';
export type { Studio } from './tasks/studio.ts';
