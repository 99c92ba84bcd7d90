import type { ResponseOf } from '@bailiwick/client/client.ts';
import { UnauthenticatedError } from '@bailiwick/client/errors.ts';
import { Center, Container, Loader } from '@mantine/core';
import { createContext, type ReactNode, useContext, useEffect, useRef } from 'react';
import { useCall } from '../parts/calls.ts';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { leaveForSignIn, mayHaveSession } from '../parts/place.ts';
import { useTexts } from '../parts/texts.tsx';

export type Account = ResponseOf<'Account_Get'>;

const AccountContext = createContext<Account | undefined>(undefined);

/** The signed-in user and their tenants. */
export function useAccount(): Account {
  const account = useContext(AccountContext);
  if (!account) throw new Error('there is no account outside of Session');
  return account;
}

/** Shows the views to a signed-in user. Everybody else goes to the sign-in page, and comes back. */
export function Session({ children }: { children: ReactNode }) {
  const { t } = useTexts();
  const { data, error, refetch } = useCall(
    'Account_Get',
    {},
    { staleTime: 0, enabled: mayHaveSession },
  );
  const first = useRef(data?.User.ID);
  const isAnonymous = !mayHaveSession || (!data && error instanceof UnauthenticatedError);
  useEffect(() => {
    if (isAnonymous) leaveForSignIn();
    // Another user has signed in meanwhile: nothing of the first one may stay on the screen.
    if (data && first.current !== undefined && first.current !== data.User.ID) location.reload();
    first.current ??= data?.User.ID;
  }, [isAnonymous, data]);
  if (data) return <AccountContext value={data}>{children}</AccountContext>;
  if (error && !isAnonymous)
    return (
      <Container component="main" size="xs" py="xl">
        <FailureNotice error={error} onRetry={() => void refetch()} />
      </Container>
    );
  return (
    <Center component="main" h="100vh">
      <Loader aria-label={t('shell.loading')} />
    </Center>
  );
}
