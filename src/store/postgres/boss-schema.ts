/**
 * pg-boss' own schema in the database. It's named by the version of its tables: a bot that brings the next pg-boss gets
 * tables of its own, and the one before goes on with these until it's replaced.
 */
export const bossSchema = 'pgboss_43';
