export * from './database-files.ts';
export * from './file-store.ts';
export * from './folder-files.ts';
