export * from './definitions.ts';
export {
  maxPersonaName,
  maxPersonas,
  noPersona,
  type Persona,
  type PersonaFault,
  type PersonaParts,
  Personas,
  personaNamed,
  personaNumbers,
  personasAmong,
  readPersonaName,
} from './personas.ts';
export * from './personal-defaults.ts';
export * from './place-settings.ts';
