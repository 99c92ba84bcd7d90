import type { OperationName, RequestOf } from '@bailiwick/client/client.ts';
import { Anchor, Button, Drawer, SegmentedControl, Stack, Text } from '@mantine/core';
import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useRef,
  useState,
} from 'react';
import { CodeBlock } from './code-block.tsx';
import { Icon } from './icon.tsx';
import { pageAt, publicUrl } from './place.ts';
import { cliOf, curlOf, typescriptOf } from './snippets.ts';
import { useTexts } from './texts.tsx';

type Call = { operation: OperationName; request: object };
type Props<Name extends OperationName> = { operation: Name; request: RequestOf<Name> };

const NoteCall = createContext<(call: Call) => void>(() => {});

/** Adds the call behind a part of a page, or behind a dialog, to those that its page shows. */
export function SameByApi<Name extends OperationName>({ operation, request }: Props<Name>) {
  const note = useContext(NoteCall);
  useEffect(() => note({ operation, request }));
  return undefined;
}

/**
 * The calls of a page: what its parts note them with, and the button that shows them. `record`: the
 * name of the record, if the search of the address and not its path names it.
 */
export function useApiCalls(record: string) {
  // With their place: the page of another record has the same component.
  const calls = useRef<ReadonlyMap<string, Call & { place: string }>>(new Map());
  const [hasCalls, setHasCalls] = useState(false);
  const placeNow = useCallback(() => `${location.pathname} ${record}`, [record]);
  const note = useCallback(
    (call: Call) => {
      const place = placeNow();
      calls.current = new Map([...calls.current, [call.operation, { ...call, place }]]);
      setHasCalls(true);
    },
    [placeNow],
  );
  const noted = () => [...calls.current.values()].filter(({ place }) => place === placeNow());
  return {
    button: hasCalls && <CallsButton callsOf={noted} />,
    within: (children: ReactNode) => <NoteCall value={note}>{children}</NoteCall>,
  };
}

function CallsButton({ callsOf }: { callsOf: () => readonly Call[] }) {
  const { t } = useTexts();
  const [calls, setCalls] = useState<readonly Call[]>();
  return (
    <>
      <Button
        variant="default"
        aria-label={t('api.same')}
        title={t('api.same')}
        leftSection={<Icon name="code" size={16} />}
        onClick={() => setCalls(callsOf())}
      >
        API
      </Button>
      {calls && (
        <Drawer
          opened
          onClose={() => setCalls(undefined)}
          position="right"
          size="lg"
          title={t('api.same')}
          closeButtonProps={{ 'aria-label': t('form.close') }}
        >
          <Text size="sm" c="dimmed" mb="md">
            {t('api.about')}
          </Text>
          <ApiCalls calls={calls} />
        </Drawer>
      )}
    </>
  );
}

const forms = { curl: curlOf, TypeScript: typescriptOf, CLI: cliOf } as const;
const names = Object.keys(forms) as Array<keyof typeof forms>;

/** Calls for a terminal and for a program. */
export function ApiCalls({ calls }: { calls: readonly Call[] }) {
  const { t } = useTexts();
  const [name, setName] = useState<keyof typeof forms>('curl');
  return (
    <Stack align="stretch">
      <SegmentedControl
        aria-label={t('api.form')}
        value={name}
        data={names}
        transitionDuration={0}
        onChange={setName}
        style={{ alignSelf: 'start' }}
      />
      {calls.map(({ operation, request }) => (
        <Stack key={operation} gap={4}>
          <Anchor
            size="sm"
            href={pageAt(`docs#${operation}`)}
            target="_blank"
            aria-label={t('api.reference', { operation })}
            style={{ alignSelf: 'start' }}
          >
            {operation}
          </Anchor>
          <CodeBlock code={forms[name](publicUrl, operation, request)} name={operation} />
        </Stack>
      ))}
    </Stack>
  );
}
