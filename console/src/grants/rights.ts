/** The operations whose answers are out of date after any change of who may do what. */
export const rights = [
  'Grants_ListByTenant',
  'GroupGrants_ListByTenant',
  'BotGrants_ListByTenant',
  'Access_ListPermissions',
  'Access_ListSubjects',
  'Access_Explain',
] as const;
