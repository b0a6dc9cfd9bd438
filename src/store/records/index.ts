export { afterRestore } from './after-restore.ts';
export * from './begun-before.ts';
export * from './capabilities.ts';
export * from './drafts.ts';
export * from './first-time.ts';
export * from './keyv.ts';
