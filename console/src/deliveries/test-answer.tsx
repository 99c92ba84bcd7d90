import { Alert, Text } from '@mantine/core';
import { Icon } from '../parts/icon.tsx';
import { useTexts } from '../parts/texts.tsx';

/** The receiver's answer to a test event. */
export function TestAnswer({ Status, Message }: { Status: string; Message: string }) {
  const { t } = useTexts();
  const isGood = Status === 'delivered';
  return (
    <Alert
      role="status"
      color={isGood ? 'teal' : 'red'}
      icon={<Icon name={isGood ? 'check' : 'warning'} />}
      title={t(isGood ? 'webhooks.testGood' : 'webhooks.testBad')}
    >
      {!isGood && (
        <Text size="sm" lang="en" style={{ overflowWrap: 'anywhere' }}>
          {Message}
        </Text>
      )}
    </Alert>
  );
}
