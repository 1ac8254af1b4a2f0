// Everybody who speaks in the rooms of a load: sends Opus packets that were encoded once, at their time.
//
// On stdin one JSON object (see `wish`). Prints `joined`; at the next line of stdin it begins, prints
// {"began_s"} (the machine's monotonic clock), at the end {"late_s"}, how far behind it was at worst, and
// leaves at the line after that. tests/load/crowd.py speaks the same, and encodes as it goes.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/livekit/protocol/livekit"
	lksdk "github.com/livekit/server-sdk-go/v2"
	"github.com/pion/webrtc/v4"
	"github.com/pion/webrtc/v4/pkg/media"
	"golang.org/x/sys/unix"
)

const frame = 20 * time.Millisecond

type wish struct {
	URL     string              `json:"url"`
	Packets map[string][][]byte `json:"packets"` // by speaker, one for each 20 ms; empty: nothing is sent
	Seconds float64             `json:"seconds"`
	StepS   float64             `json:"step_s"`
	Rooms   []map[string]string `json:"rooms"` // speaker -> token
}

type microphone struct {
	room    *lksdk.Room
	track   *lksdk.LocalSampleTrack
	packets [][]byte
}

func main() {
	lines := bufio.NewReaderSize(os.Stdin, 1<<20)
	var w wish
	text, err := lines.ReadBytes('\n')
	must(err)
	must(json.Unmarshal(text, &w))
	rooms := make([][]*microphone, len(w.Rooms))
	loop := 0
	for number, people := range w.Rooms {
		for who, token := range people {
			m := join(w.URL, token)
			m.packets = w.Packets[who]
			loop = len(m.packets)
			rooms[number] = append(rooms[number], m)
		}
	}
	fmt.Println("joined")
	_, _ = lines.ReadString('\n')
	began := time.Now().Add(200 * time.Millisecond)
	told, _ := json.Marshal(map[string]float64{
		"began_s": monotonicS() + time.Until(began).Seconds(),
		"loop_s":  float64(loop) * frame.Seconds(),
	})
	fmt.Println(string(told))
	var everybody sync.WaitGroup
	var lock sync.Mutex
	var late time.Duration
	frames := int(w.Seconds / frame.Seconds())
	for number, room := range rooms {
		start := int(float64(number)*w.StepS/frame.Seconds() + 0.5)
		for _, m := range room {
			everybody.Add(1)
			go func() {
				defer everybody.Done()
				behind := m.speak(began, start, frames)
				lock.Lock()
				defer lock.Unlock()
				late = max(late, behind)
			}()
		}
	}
	everybody.Wait()
	fmt.Printf("{\"late_s\": %f}\n", late.Seconds())
	_, _ = lines.ReadString('\n')
	for _, room := range rooms {
		for _, m := range room {
			m.room.Disconnect()
		}
	}
}

func join(url, token string) *microphone {
	room, err := lksdk.ConnectToRoomWithToken(url, token, lksdk.NewRoomCallback(), lksdk.WithAutoSubscribe(false))
	must(err)
	track, err := lksdk.NewLocalSampleTrack(webrtc.RTPCodecCapability{
		MimeType: webrtc.MimeTypeOpus, ClockRate: 48000, Channels: 2,
	})
	must(err)
	_, err = room.LocalParticipant.PublishTrack(track, &lksdk.TrackPublicationOptions{
		Name: "microphone", Source: livekit.TrackSource_MICROPHONE,
	})
	must(err)
	return &microphone{room: room, track: track}
}

// Sends what is there to send from packet `start` on; how late it was at worst. A packet's duration reaches
// to the next one, so that its time stamp tells of the gap.
func (m *microphone) speak(began time.Time, start, frames int) time.Duration {
	var late time.Duration
	at := func(i int) []byte { return m.packets[(start+i)%len(m.packets)] }
	for i := 0; i < frames; {
		next := i + 1
		for next < frames && len(at(next)) == 0 {
			next++
		}
		if len(at(i)) > 0 {
			due := time.Until(began.Add(time.Duration(i) * frame))
			time.Sleep(due)
			late = max(late, -due)
			length := time.Duration(next-i) * frame
			_ = m.track.WriteSample(media.Sample{Data: at(i), Duration: length}, nil)
		}
		i = next
	}
	time.Sleep(time.Until(began.Add(time.Duration(frames) * frame)))
	return late
}

// As Python's time.monotonic().
func monotonicS() float64 {
	var now unix.Timespec
	must(unix.ClockGettime(unix.CLOCK_MONOTONIC, &now))
	return float64(now.Nano()) / 1e9
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
