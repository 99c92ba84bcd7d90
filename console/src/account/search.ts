/** The address of the view of one's own access. */
export type AccessSearch = {
  /** The slug of a tenant; absent = the first one. */
  tenant?: string;
  /** The permission whose reasons are shown. */
  permission?: string;
};

export const readAccessSearch = ({
  tenant,
  permission,
}: Record<string, unknown>): AccessSearch => ({
  ...(typeof tenant === 'string' && tenant !== '' && { tenant }),
  ...(typeof permission === 'string' && permission !== '' && { permission }),
});
