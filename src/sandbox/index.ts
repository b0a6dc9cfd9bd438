export type { Behavior } from './account/behavior.ts';
export type { Studio } from './media/studio.ts';
export {
  createSandbox,
  type ListeningSandbox,
  type Sandbox,
  type SandboxOptions,
  sandboxKey,
} from './sandbox.ts';
