package smtptest

import (
	"bufio"
	"crypto/hmac"
	"crypto/md5"
	"crypto/tls"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"
)

// A session is one connection.
type session struct {
	server    *Server
	conn      net.Conn
	in        *bufio.Reader
	secured   bool
	user      string
	from, to  string
	recipient string
}

func (s *Server) serve(conn net.Conn) {
	defer func() {
		_ = conn.Close()
		s.mu.Lock()
		delete(s.open, conn)
		s.mu.Unlock()
	}()
	c := &session{server: s, conn: conn, in: bufio.NewReader(conn)}
	if s.cfg.ImplicitTLS {
		c.startTLS()
	}
	if !c.stage(Connect, "220 test ESMTP") {
		return
	}
	for {
		line, err := c.in.ReadString('\n')
		if err != nil || !c.execute(strings.TrimRight(line, "\r\n")) {
			return
		}
	}
}

func (c *session) reply(format string, args ...any) {
	_, _ = fmt.Fprintf(c.conn, format+"\r\n", args...)
}

// stage replies as the test configured, or as usual. It reports whether the session continues.
func (c *session) stage(stage Stage, usual string) bool {
	switch choice := c.server.cfg.Behave(stage, c.recipient); choice {
	case "":
		c.reply("%s", usual)
	case Drop, Swallow:
		return false
	case Stall:
		_, _ = c.in.ReadByte() // until the client disconnects
		return false
	default:
		c.reply("%s", choice)
		return !strings.HasPrefix(choice, "421")
	}
	return true
}

func (c *session) startTLS() {
	c.conn = tls.Server(c.conn, c.server.secure)
	c.in = bufio.NewReader(c.conn)
	c.secured = true
}

// execute runs one command and reports whether the session continues.
func (c *session) execute(line string) bool {
	verb, rest, _ := strings.Cut(line, " ")
	switch strings.ToUpper(verb) {
	case "EHLO":
		if c.server.cfg.NoExtensions {
			c.reply("500 unknown")
			return true
		}
		return c.stage(Hello, c.extensions())
	case "HELO":
		c.reply("250 test")
	case "STARTTLS":
		c.reply("220 go ahead")
		c.startTLS()
	case "AUTH":
		return c.authenticate(rest)
	case "MAIL":
		if c.server.cfg.User != "" && c.user == "" {
			c.reply("530 5.7.0 log in first")
			return true
		}
		c.from, c.to, c.recipient = address(rest), "", ""
		return c.stage(From, "250 2.1.0 ok")
	case "RCPT":
		c.recipient = address(rest)
		c.to = c.recipient
		return c.stage(To, "250 2.1.5 ok")
	case "DATA":
		return c.data()
	case "RSET":
		c.recipient = ""
		c.reply("250 ok")
	case "NOOP":
		c.reply("250 ok")
	case "QUIT":
		c.reply("221 bye")
		return false
	default:
		c.reply("502 what?")
	}
	return true
}

// extensions returns the reply to EHLO.
func (c *session) extensions() string {
	lines := []string{"test"}
	if c.server.cfg.STARTTLS && !c.secured {
		lines = append(lines, "STARTTLS")
	}
	if c.server.cfg.User != "" {
		mechanisms := c.server.cfg.Auth
		if len(mechanisms) == 0 {
			mechanisms = []string{"PLAIN", "LOGIN"}
		}
		lines = append(lines, "AUTH "+strings.Join(mechanisms, " "))
	}
	lines = append(lines, "8BITMIME")
	for i := range lines[:len(lines)-1] {
		lines[i] = "250-" + lines[i]
	}
	lines[len(lines)-1] = "250 " + lines[len(lines)-1]
	return strings.Join(lines, "\r\n")
}

func (c *session) authenticate(rest string) bool {
	mechanism, initial, _ := strings.Cut(rest, " ")
	if offered := c.server.cfg.Auth; len(offered) > 0 && !slices.Contains(offered, mechanism) {
		c.reply("504 5.5.4 unrecognized")
		return true
	}
	var user, pass string
	switch mechanism {
	case "PLAIN":
		raw, _ := base64.StdEncoding.DecodeString(initial)
		if parts := strings.Split(string(raw), "\x00"); len(parts) == 3 {
			user, pass = parts[1], parts[2]
		}
	case "LOGIN":
		if raw, err := base64.StdEncoding.DecodeString(initial); err == nil && initial != "" {
			user = string(raw)
		} else {
			user = c.ask("VXNlcm5hbWU6")
		}
		pass = c.ask("UGFzc3dvcmQ6")
	case "CRAM-MD5":
		const challenge = "<1896.697170952@test>"
		mac := hmac.New(md5.New, []byte(c.server.cfg.Pass))
		mac.Write([]byte(challenge))
		var proof string
		user, proof, _ = strings.Cut(c.ask(base64.StdEncoding.EncodeToString([]byte(challenge))), " ")
		if proof == hex.EncodeToString(mac.Sum(nil)) {
			pass = c.server.cfg.Pass
		}
	}
	if user != c.server.cfg.User || pass != c.server.cfg.Pass {
		c.reply("535 5.7.8 no")
		return true
	}
	c.user = user
	c.reply("235 2.7.0 welcome")
	return true
}

// ask sends a challenge and returns the decoded response.
func (c *session) ask(what string) string {
	c.reply("334 %s", what)
	line, _ := c.in.ReadString('\n')
	raw, _ := base64.StdEncoding.DecodeString(strings.TrimSpace(line))
	return string(raw)
}

func (c *session) data() bool {
	if choice := c.server.cfg.Behave(Data, c.recipient); choice != "" {
		if choice == Drop {
			return false
		}
		c.reply("%s", choice)
		return true
	}
	c.reply("354 go on")
	var raw strings.Builder
	for {
		line, err := c.in.ReadString('\n')
		if err != nil {
			return false
		}
		if line == ".\r\n" {
			break
		}
		raw.WriteString(strings.TrimPrefix(line, "."))
	}
	time.Sleep(c.server.cfg.PerMail)
	choice := c.server.cfg.Behave(Body, c.recipient)
	if choice == "" || choice == Swallow {
		c.server.mu.Lock()
		c.server.taken++
		if !c.server.cfg.Forget {
			c.server.mails = append(c.server.mails, Mail{
				From: c.from, To: c.to, Raw: raw.String(), Secured: c.secured, User: c.user,
			})
		}
		c.server.mu.Unlock()
	}
	switch choice {
	case "":
		c.reply("250 2.0.0 accepted")
	case Drop, Swallow:
		return false
	case Stall:
		_, _ = c.in.ReadByte()
		return false
	default:
		c.reply("%s", choice)
	}
	return true
}

// address returns the address of FROM:<…> or TO:<…>.
func address(rest string) string {
	_, rest, _ = strings.Cut(rest, "<")
	inside, _, _ := strings.Cut(rest, ">")
	return inside
}
