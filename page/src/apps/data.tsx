import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Button } from "../components/button.tsx";
import { Text } from "../components/text.tsx";
import { toastProblem } from "../components/toast.tsx";
import { bytes } from "../format.ts";
import { saveFile } from "../saved-file.ts";

export function isBase64(data: unknown): data is string {
  return typeof data === "string" && data !== "" && /^[A-Za-z0-9+/]+={0,2}$/.test(data);
}

/** Plays audio on request. The page loads no media elements, so the data is decoded here. */
export function AudioPlayer({ data, mimeType }: { readonly data: string; readonly mimeType: string }): JSX.Element {
  const [isPlaying, setPlaying] = useState(false);
  const context = useRef<AudioContext>(null);
  const stop = () => {
    void context.current?.close();
    context.current = null;
    setPlaying(false);
  };
  useEffect(() => () => void context.current?.close(), []);
  const play = async () => {
    try {
      const player = (context.current = new AudioContext());
      setPlaying(true);
      const source = player.createBufferSource();
      source.buffer = await player.decodeAudioData(bytesOf(data).buffer);
      source.connect(player.destination);
      source.addEventListener("ended", stop);
      source.start();
    } catch {
      stop();
      toastProblem("The browser cannot play this audio.");
    }
  };
  return (
    <div class="row">
      <span class="muted">
        Audio (<Text value={mimeType} maxLength={80} isFixed />, {bytes(Math.floor(data.length * 0.75))})
      </span>
      {isBase64(data) && (
        <>
          <Button size="small" icon={isPlaying ? "pause" : "play"} onClick={() => (isPlaying ? stop() : void play())}>
            {isPlaying ? "Stop" : "Play"}
          </Button>
          <SaveButton data={data} />
        </>
      )}
    </div>
  );
}

/** Saves data as `application/octet-stream`, so that the browser never opens it. */
export function SaveButton({ data }: { readonly data: string }): JSX.Element {
  return (
    <Button size="small" onClick={() => saveFile("data.bin", bytesOf(data), "application/octet-stream")}>
      Save
    </Button>
  );
}

function bytesOf(data: string): Uint8Array<ArrayBuffer> {
  const text = atob(data);
  const made = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) made[at] = text.charCodeAt(at);
  return made;
}
