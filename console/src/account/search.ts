/** The address of the view of one's own access. */
export type Asked = {
  /** The slug of a tenant; absent = the first one. */
  tenant?: string;
  /** The permission whose reasons are shown. */
  permission?: string;
};

export const readAsked = ({ tenant, permission }: Record<string, unknown>): Asked => ({
  ...(typeof tenant === 'string' && tenant !== '' && { tenant }),
  ...(typeof permission === 'string' && permission !== '' && { permission }),
});
