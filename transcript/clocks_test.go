package transcript_test

import (
	"fmt"
	"strings"
	"time"
)

// clockMS formats 01:02:03.004, with the given character before the milliseconds.
func clockMS(d time.Duration, point string) string {
	return fmt.Sprintf("%02d:%02d:%02d%s%03d",
		int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60, point, d.Milliseconds()%1000)
}

// times formats the times of a cue.
func (s said) times(separator, point string) string {
	return clockMS(s.start, point) + separator + clockMS(s.end, point)
}

func clockS(d time.Duration) string { return clockMS(d, ".")[:8] }

// short formats 0:03 or 1:02:03, as Otter and Teams do.
func short(d time.Duration) string {
	if d >= time.Hour {
		return fmt.Sprintf("%d:%02d:%02d", int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60)
	}
	return fmt.Sprintf("%d:%02d", int(d.Minutes()), int(d.Seconds())%60)
}

// mmss formats 01:02, or 01:02:03 from an hour on.
func mmss(d time.Duration) string {
	if d >= time.Hour {
		return clockS(d)
	}
	return clockS(d)[3:]
}

// minuteMS formats 01:02.345, or 01:02:03.456 from an hour on.
func minuteMS(d time.Duration) string {
	if d >= time.Hour {
		return clockMS(d, ".")
	}
	return clockMS(d, ".")[3:]
}

// tenths formats 1:02.3, or 1:02:03.4 from an hour on, as NVivo does.
func tenths(d time.Duration) string { return fmt.Sprintf("%s.%d", short(d), d.Milliseconds()%1000/100) }

// unpadded formats 1:2:3.50, as Teams does.
func unpadded(d time.Duration) string {
	fraction := strings.TrimRight(fmt.Sprintf("%03d", d.Milliseconds()%1000), "0") + "0"
	return fmt.Sprintf("%d:%d:%d.%s", int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60, fraction)
}

// ass formats 0:01:02.03, as SubStation Alpha has it.
func ass(d time.Duration) string { return clockMS(d, ".")[1:11] }

func seconds(d time.Duration) string { return fmt.Sprintf("%.3fs", d.Seconds()) }

// hundredths formats 62.03, in seconds.
func hundredths(d time.Duration) string { return fmt.Sprintf("%.2f", d.Seconds()) }

func iso(d time.Duration) string { return "PT" + hundredths(d) + "S" }

// inWords formats "3 seconds" or "1 minutes 3 seconds", with the given separator.
func inWords(d time.Duration, separator string) string {
	if d < time.Minute {
		return fmt.Sprintf("%d seconds", int(d.Seconds()))
	}
	return fmt.Sprintf("%d minutes%s%d seconds", int(d.Minutes()), separator, int(d.Seconds())%60)
}

// dayClock formats a time of day as 10:02:15, in exports whose times are not those of the recording.
func dayClock(start time.Duration) string { return stampAt(start, "15:04:05") }

// stampAt formats the instant of a turn in a chat whose times have seconds.
func stampAt(start time.Duration, layout string) string { return meetingDay.Add(start).Format(layout) }

// afternoon formats a time of day as 10:02:15 AM.
func afternoon(d time.Duration) string { return stampAt(d, "3:04:05 PM") }

// minuteOf formats the minute that stands for a second, in chats whose times have no seconds.
func minuteOf(start time.Duration) string { return stampAt(start.Truncate(time.Second)*60, "3:04 PM") }

// minuteAt formats the instant of a turn in a chat whose times have no seconds. People type slower than they
// talk.
func minuteAt(start time.Duration, layout string) string { return stampAt(start*chatSlowness, layout) }

// roman returns a small number in Roman digits, as the pages of some reports have them.
func roman(n int) string {
	return strings.Repeat("x", n/10) + []string{"", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix"}[n%10]
}
