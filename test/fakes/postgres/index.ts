export * from './cable.ts';
export * from './databases.ts';
export * from './pooler.ts';
export * from './postgres.ts';
export * from './swallowing.ts';
export * from './time.ts';
