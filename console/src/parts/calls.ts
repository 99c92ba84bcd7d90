import {
  createClient,
  type ItemOf,
  type ListName,
  type OperationName,
  type RequestOf,
  type ResponseOf,
} from '@bailiwick/client/client.ts';
import { BailiwickError, UnauthenticatedError } from '@bailiwick/client/errors.ts';
import {
  keepPreviousData,
  MutationCache,
  QueryCache,
  QueryClient,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { publicUrl } from './place.ts';
import { portalInit } from './portal-token.ts';
import { withProof } from './proof.ts';
import { setSessionEnded } from './session-state.ts';
import { isSupportTab, leaveSupport, supportHeaders } from './support-access.ts';

// The only way to the server. An operation is called by its documented name; the session is in a
// cookie that scripts cannot read.

const settings = {
  url: publicUrl,
  userAgent: '',
  // A user who waits wants to know why. A brief hiccup is not worth a message.
  retries: 2,
  maxWaitMs: 1000,
  timeoutMs: 20_000,
};

/** Calls as the user of the tab. */
export const client = createClient({
  ...settings,
  fetch: (url, init) => {
    const { headers, ...portal } = portalInit();
    const clientHeaders = init?.headers as Record<string, string>;
    return fetch(url, {
      ...init,
      ...portal,
      headers: { ...clientHeaders, ...supportHeaders(), ...headers },
    });
  },
});

/** Calls as the operator, also while the tab acts as another user. */
export const ownClient = createClient(settings);

const noteFailure = (error: unknown): void => {
  if (!(error instanceof UnauthenticatedError)) return;
  if (isSupportTab()) leaveSupport();
  else setSessionEnded(true);
};

export const createQueryClient = () =>
  new QueryClient({
    queryCache: new QueryCache({
      onError: noteFailure,
      onSuccess: (_data, { queryKey }) => {
        if (queryKey[0] === 'Account_Get') setSessionEnded(false);
      },
    }),
    mutationCache: new MutationCache({ onError: noteFailure }),
    defaultOptions: {
      // The client retries what may be repeated.
      queries: { retry: false, staleTime: 10_000, networkMode: 'always' },
      mutations: { retry: false, networkMode: 'always' },
    },
  });

type CallOptions<Name extends OperationName> = {
  enabled?: boolean;
  /** Shows the earlier answer while the next one is loading. */
  keepsPrevious?: boolean;
  staleTime?: number;
  /** Calls again every few seconds, as long as the answer says so. */
  refreshes?: (answer: ResponseOf<Name> | undefined) => boolean;
};

const refreshMs = 5000;

/** The answer of an operation that changes nothing. */
export const useCall = <Name extends OperationName>(
  operation: Name,
  request: RequestOf<Name>,
  { keepsPrevious = false, refreshes, ...options }: CallOptions<Name> = {},
) =>
  useQuery<ResponseOf<Name>, BailiwickError>({
    queryKey: [operation, request],
    queryFn: ({ signal }) => client.call(operation, request, { signal }),
    ...(keepsPrevious && { placeholderData: keepPreviousData }),
    ...(refreshes && {
      refetchInterval: ({ state }) => refreshes(state.data) && refreshMs,
    }),
    ...options,
  });

type AllOptions = {
  enabled?: boolean;
  /** Reads no further once there are more items than this. */
  most?: number;
};

/** All items of a list, page after page. Only for lists that are shown as a whole. */
export const useAll = <Name extends ListName & OperationName>(
  operation: Name,
  request: RequestOf<Name>,
  { enabled = true, most = Number.POSITIVE_INFINITY }: AllOptions = {},
) =>
  useQuery<ItemOf<Name>[], BailiwickError>({
    queryKey: [operation, request, 'all'],
    enabled,
    async queryFn({ signal }) {
      const items: ItemOf<Name>[] = [];
      for await (const record of client.list(operation, request, { signal })) {
        items.push(record);
        if (items.length > most) break;
      }
      return items;
    },
  });

/** The numbers of the overview, which any change may change. */
const counts: readonly OperationName[] = [
  'Bots_GetCounts',
  'Chat_GetStats',
  'Tenants_GetCounts',
  'Webhooks_GetStats',
];

/** Loads the answers again that a change has made stale: at once if they are on the screen. */
export const invalidate = (queries: QueryClient, stale: readonly OperationName[]) =>
  Promise.all([...stale, ...counts].map((name) => queries.invalidateQueries({ queryKey: [name] })));

/**
 * Calls an operation that changes something, and loads the stale answers again. If the call needs a
 * fresh proof, the user is asked for it.
 */
export function useChange<Name extends OperationName>(
  operation: Name,
  { stale = [] }: { stale?: readonly OperationName[] } = {},
) {
  const queries = useQueryClient();
  return useMutation<ResponseOf<Name>, BailiwickError, RequestOf<Name>>({
    mutationFn: (request) => withProof(() => client.call(operation, request)),
    onSuccess: () => invalidate(queries, stale),
  });
}

/** The items of one page of a list, and where the next page begins. */
export type ListPage<Item> = { items: readonly Item[]; next: string };

export const pageOf = <Name extends ListName>(
  response: ResponseOf<Name> | undefined,
): ListPage<ItemOf<Name>> | undefined => {
  const page = (response as { Page: { Items: ItemOf<Name>[]; NextCursor: string } } | undefined)
    ?.Page;
  return page && { items: page.Items, next: page.NextCursor };
};
