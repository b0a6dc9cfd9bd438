export * from './image-size.ts';
export * from './in-worker.ts';
