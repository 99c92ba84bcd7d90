import {
  FailedPreconditionError,
  InvalidArgumentError,
  PermissionDeniedError,
} from '@bailiwick/client/errors.ts';
import { Alert, Anchor, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import { client } from './calls.ts';
import { FailureNotice } from './failure-notice.tsx';
import { Icon } from './icon.tsx';
import { askForPasskey, canUsePasskeys, PasskeyError } from './passkey.ts';
import { pageAt, signInAddress } from './place.ts';
import type { ProofRequest } from './proof.ts';
import type { TextKey } from './text-keys.ts';
import { useTexts } from './texts.tsx';

/** The ways to answer, in order of preference. */
const ways = [
  { factor: 'passkey', text: 'proof.passkey', instead: 'proof.passkeyInstead' },
  { factor: 'totp', text: 'proof.app', instead: 'proof.appInstead' },
  { factor: 'recovery_code', text: 'proof.recovery', instead: 'proof.recoveryInstead' },
] as const satisfies ReadonlyArray<{ factor: string; text: TextKey; instead: TextKey }>;

type Way = (typeof ways)[number];

// Escape must not close the dialog below this one, with its input.
const keeps = { 'data-mantine-stop-propagation': true };

/** Focuses the field or the button of a way to answer, when it is chosen. */
const focus = (element: HTMLElement | null) => element?.focus();

/** Asks for a second factor, or for another sign-in if the user has none. */
export function ProofDialog({ request: { requirement, settle } }: { request: ProofRequest }) {
  const { t } = useTexts();
  const queries = useQueryClient();
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['Account_BeginStepUp'],
    queryFn: () => client.call('Account_BeginStepUp', {}),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const hasNoFactor = error instanceof FailedPreconditionError;
  const onProven = () => {
    settle(true);
    // Views may now show the refused data. The challenge of this dialog is used up.
    const predicate = ({ queryKey }: { queryKey: readonly unknown[] }) =>
      queryKey[0] !== 'Account_BeginStepUp';
    void queries.invalidateQueries({ predicate });
  };
  if (isPending) return undefined;
  return (
    <Modal
      opened
      onClose={() => settle(false)}
      onKeyDown={({ key }) => key === 'Escape' && settle(false)}
      title={t('proof.title')}
      closeOnEscape={false}
      closeOnClickOutside={false}
      closeButtonProps={{ 'aria-label': t('form.close'), ...keeps }}
      zIndex={250}
    >
      <Stack>
        {data && <Answer stepUp={data} onProven={onProven} onDead={() => void refetch()} />}
        {hasNoFactor && requirement === 'factor' && <AddFactor />}
        {hasNoFactor && requirement === 'recent' && <SignInAgain onDone={onProven} />}
        {!hasNoFactor && <FailureNotice error={error} onRetry={() => void refetch()} />}
      </Stack>
    </Modal>
  );
}

type StepUp = { Challenge: string; Factors: readonly string[]; Options: string };
type AnswerProps = { stepUp: StepUp; onProven: () => void; onDead: () => void };

function Answer({ stepUp, onProven, onDead }: AnswerProps) {
  const { t } = useTexts();
  const offered = ways.filter(
    ({ factor }) => stepUp.Factors.includes(factor) && (factor !== 'passkey' || canUsePasskeys),
  );
  const [chosen, setChosen] = useState(offered[0]);
  const { answer, isBusy, wrong, failure } = useAnswer({ stepUp, onProven, onDead });
  const [code, setCode] = useState('');
  if (!chosen) return <Text>{t('proof.noPasskey')}</Text>;
  const send = (event: FormEvent) => {
    event.preventDefault();
    void answer(chosen, code);
  };
  const isPasskey = chosen.factor === 'passkey';
  return (
    <form onSubmit={send} noValidate>
      <Stack>
        <Text size="sm">{t('proof.about')}</Text>
        {!isPasskey && (
          <CodeField key={chosen.factor} way={chosen} code={code} onCode={setCode} wrong={wrong} />
        )}
        {isPasskey && wrong && (
          <Alert role="alert" color="red" icon={<Icon name="warning" />}>
            {t(wrong)}
          </Alert>
        )}
        <FailureNotice error={failure} />
        <Group justify="end">
          <Button
            key={chosen.factor}
            type="submit"
            loading={isBusy}
            {...(isPasskey && { ref: focus, 'data-autofocus': true })}
            {...keeps}
          >
            {t(isPasskey ? 'proof.passkey' : 'proof.confirm')}
          </Button>
        </Group>
        <OtherWays
          ways={offered.filter((way) => way !== chosen)}
          onChoose={(way) => {
            setCode('');
            setChosen(way);
          }}
        />
      </Stack>
    </form>
  );
}

type CodeFieldProps = {
  way: Way;
  code: string;
  onCode: (code: string) => void;
  wrong: TextKey | undefined;
};

function CodeField({ way: { factor, text }, code, onCode, wrong }: CodeFieldProps) {
  const { t } = useTexts();
  return (
    <TextInput
      label={t(text)}
      value={code}
      onChange={(event) => onCode(event.currentTarget.value)}
      error={wrong && t(wrong)}
      inputMode={factor === 'totp' ? 'numeric' : 'text'}
      autoComplete="one-time-code"
      spellCheck={false}
      ref={focus}
      data-autofocus
      {...keeps}
    />
  );
}

type OtherWaysProps = { ways: readonly Way[]; onChoose: (way: Way) => void };

function OtherWays({ ways: others, onChoose }: OtherWaysProps) {
  const { t } = useTexts();
  return others.map((way) => (
    <Anchor
      key={way.factor}
      component="button"
      type="button"
      size="sm"
      ta="start"
      onClick={() => onChoose(way)}
      {...keeps}
    >
      {t(way.instead)}
    </Anchor>
  ));
}

/** Sends an answer to the challenge. A wrong one may be corrected, until the challenge is void. */
function useAnswer({ stepUp, onProven, onDead }: AnswerProps) {
  const [isBusy, setBusy] = useState(false);
  const [wrong, setWrong] = useState<TextKey>();
  const [failure, setFailure] = useState<unknown>(null);
  async function answer({ factor }: Way, code: string) {
    setBusy(true);
    setWrong(undefined);
    setFailure(null);
    try {
      const Challenge = stepUp.Challenge;
      if (factor === 'passkey')
        await client.call('Account_CompleteStepUp', {
          Challenge,
          Passkey: await askForPasskey(stepUp.Options),
        });
      else if (factor === 'totp')
        // Apps show the digits in two groups.
        await client.call('Account_CompleteStepUp', { Challenge, Totp: code.replace(/\s/g, '') });
      else await client.call('Account_CompleteStepUp', { Challenge, RecoveryCode: code.trim() });
      onProven();
    } catch (error) {
      if (error instanceof PasskeyError) setWrong('proof.unused');
      else if (error instanceof PermissionDeniedError || error instanceof InvalidArgumentError)
        setWrong(factor === 'passkey' ? 'proof.wrongPasskey' : 'proof.wrong');
      else if (error instanceof FailedPreconditionError) {
        setWrong('proof.dead');
        onDead();
      } else setFailure(error);
    } finally {
      setBusy(false);
    }
  }
  return { answer, isBusy, wrong, failure };
}

/** For a user without a second factor: the sign-in is in another tab, and this one goes on. */
function SignInAgain({ onDone }: { onDone: () => void }) {
  const { t } = useTexts();
  const descriptionId = useId();
  return (
    <>
      <Text size="sm" id={descriptionId}>
        {t('proof.signInAbout')}
      </Text>
      <Group justify="end">
        <Button variant="default" onClick={onDone} {...keeps}>
          {t('ended.goOn')}
        </Button>
        <Button
          component="a"
          href={`${signInAddress()}&again=1`}
          target="_blank"
          rel="noopener"
          aria-describedby={descriptionId}
          data-autofocus
          {...keeps}
        >
          {t('proof.signIn')}
        </Button>
      </Group>
    </>
  );
}

/** For a user who has no second factor yet, and needs one. */
function AddFactor() {
  const { t } = useTexts();
  return (
    <>
      <Text size="sm">{t('proof.addAbout')}</Text>
      <Group justify="end">
        <Button component="a" href={pageAt('account/security')} data-autofocus {...keeps}>
          {t('proof.add')}
        </Button>
      </Group>
    </>
  );
}
