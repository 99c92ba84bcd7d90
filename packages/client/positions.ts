/** The header of positions, in requests and responses. */
export const positionHeader = 'bailiwick-position';

/** The position that a change returned; '' if its effect is unknown. */
type Change = { position: string };

/** A busy client has many changes at once: with more of them the primary answers. */
const most = 16;

/**
 * Remembers the positions of the last changes. Lists send them, so that a replica of the database
 * answers only if it has these changes.
 */
export function createPositions() {
  let changes: readonly Change[] = [];
  return {
    /** The header of a call that changes nothing. Undefined: only the primary may answer. */
    header(): string | undefined {
      const positions = changes.map(({ position }) => position);
      return positions.includes('') || positions.length > most
        ? undefined
        : positions.join(',') || undefined;
    },

    /**
     * Begins a change. The result notes its position, which includes the changes that were known
     * when it began: those that ran at the same time stay.
     */
    begin(): (position: string) => void {
      const earlier = changes;
      return (position) => {
        changes = [...changes.filter((change) => !earlier.includes(change)), { position }];
      };
    },
  };
}

export type Positions = ReturnType<typeof createPositions>;
