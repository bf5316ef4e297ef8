// Package s3 has parts of a problem lie on Amazon S3 or what speaks its protocol, at addresses such as s3://bucket/prefix.
// Programs that import it read and write them.
//
// Keys come from where AWS's own programs take them: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, the file of credentials
// (AWS_PROFILE), or the role of the machine; the region from AWS_REGION, or else from the bucket. AWS_ENDPOINT_URL_S3 or
// AWS_ENDPOINT_URL name another server.
package s3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/deeppsl/deeppsl/internal/place"
)

func init() { place.Register("s3", Open) }

// amazon is the server where no other is named.
const amazon = "https://s3.amazonaws.com"

// bucket is a place: the objects of a bucket whose keys begin with a prefix.
type bucket struct {
	client       *minio.Client
	name, prefix string
}

// Open returns the files at an address.
func Open(_ context.Context, address string) (place.Files, error) {
	at, err := url.Parse(address)
	if err != nil || at.Host == "" || at.RawQuery != "" || at.Fragment != "" || at.User != nil {
		// What was typed is not repeated: it may have a password.
		return nil, errors.New("an address on S3 has the form s3://bucket/prefix")
	}
	endpoint, err := server()
	if err != nil {
		return nil, err
	}
	client, err := minio.New(endpoint.Host, &minio.Options{Creds: keys(), Secure: endpoint.Scheme == "https",
		Region: first("AWS_REGION", "AWS_DEFAULT_REGION"), Transport: transport(), MaxRetries: attempts})
	if err != nil {
		return nil, fmt.Errorf("s3: %w", err)
	}
	client.SetAppInfo("deeppsl", "1")
	return &bucket{client, at.Host, strings.Trim(at.Path, "/")}, nil
}

// server returns where requests go.
func server() (*url.URL, error) {
	text := first("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL")
	if text == "" {
		text = amazon
	}
	at, err := url.Parse(text)
	if err != nil || at.Host == "" || at.User != nil || strings.Trim(at.Path, "/") != "" {
		return nil, errors.New("AWS_ENDPOINT_URL_S3 has the form https://host:port")
	}
	return at, nil
}

// first returns the first of some variables of the environment that is set.
func first(names ...string) string {
	for _, name := range names {
		if value := os.Getenv(name); value != "" {
			return value
		}
	}
	return ""
}

// keys returns where keys come from.
func keys() *credentials.Credentials {
	chain := []credentials.Provider{&credentials.EnvAWS{}, &credentials.FileAWSCredentials{}}
	if !strings.EqualFold(os.Getenv("AWS_EC2_METADATA_DISABLED"), "true") {
		chain = append(chain, &credentials.IAM{})
	}
	return credentials.NewChainCredentials(chain)
}

// attempts is how often a request is made before it counts as failed, patience how long a server may take to begin an
// answer.
const (
	attempts = 6
	patience = time.Minute
)

func transport() http.RoundTripper {
	t := http.DefaultTransport.(*http.Transport).Clone() // of the standard library, which says that it is one
	t.ResponseHeaderTimeout = patience
	return t
}

// Address implements place.Files.
func (b *bucket) Address(name string) string { return "s3://" + path.Join(b.name, b.key(name)) }

func (b *bucket) key(name string) string { return path.Join(b.prefix, name) }

// Open implements place.Files.
func (b *bucket) Open(ctx context.Context, name string) (io.ReadCloser, error) {
	info, err := b.client.StatObject(ctx, b.name, b.key(name), minio.StatObjectOptions{})
	if err != nil {
		return nil, b.failed(name, err)
	}
	return &reader{ctx: ctx, from: b, name: name, tag: info.ETag, size: info.Size}, nil
}

// reader reads an object, and goes on where it was when a connection is lost.
type reader struct {
	ctx      context.Context
	from     *bucket
	name     string
	tag      string // that of the object which was begun with
	at, size int64
	body     io.ReadCloser // nil where there is none to read from
	lost     int           // in a row
}

// Read implements io.Reader.
func (r *reader) Read(p []byte) (int, error) {
	for {
		if r.at == r.size {
			return 0, io.EOF
		}
		n, err := r.read(p)
		r.at += int64(n)
		if n > 0 {
			r.lost = 0
			return n, nil // what is wrong is seen again
		}
		if err == nil {
			continue
		}
		if r.body != nil {
			_ = r.body.Close() // it is broken already
			r.body = nil
		}
		if r.lost++; r.lost == attempts || r.ctx.Err() != nil || minio.ToErrorResponse(err).Code != "" {
			return 0, r.from.failed(r.name, err)
		}
		if err := pause(r.ctx, r.lost); err != nil {
			return 0, err
		}
	}
}

// read reads from the body, which it asks for where there is none.
func (r *reader) read(p []byte) (int, error) {
	if r.body == nil {
		o := minio.GetObjectOptions{}
		if err := errors.Join(o.SetMatchETag(r.tag), o.SetRange(r.at, r.size-1)); err != nil {
			return 0, err
		}
		core := minio.Core{Client: r.from.client}
		body, _, _, err := core.GetObject(r.ctx, r.from.name, r.from.key(r.name), o)
		if err != nil {
			return 0, err
		}
		r.body = body
	}
	n, err := r.body.Read(p)
	if n == 0 && err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// Close implements io.Closer.
func (r *reader) Close() error {
	if r.body == nil {
		return nil
	}
	return r.body.Close()
}

// pause waits before another attempt, longer each time.
func pause(ctx context.Context, attempt int) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(50 * time.Millisecond << attempt):
		return nil
	}
}

// Write implements place.Files. What is written is kept in a file of this machine until it has arrived, so that it can be
// sent again; the server refuses what does not have its checksum, and shows an object when all of it is there.
func (b *bucket) Write(ctx context.Context, name string, write func(io.Writer) error) (err error) {
	file, err := os.CreateTemp("", "deeppsl-s3-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close(), os.Remove(file.Name())) }()
	if err := write(file); err != nil {
		return err
	}
	size, err := file.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		return err
	}
	_, err = b.client.PutObject(ctx, b.name, b.key(name), file, size,
		minio.PutObjectOptions{ContentType: "application/octet-stream", SendContentMd5: true, DisableContentSha256: true})
	return b.failed(name, err)
}

// Remove implements place.Files.
func (b *bucket) Remove(ctx context.Context, name string) error {
	err := b.failed(name, b.client.RemoveObject(ctx, b.name, b.key(name), minio.RemoveObjectOptions{}))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// failed is the error of a request about a file; nil of nil. It has no keys: neither a server's words nor those of the
// standard library repeat them.
func (b *bucket) failed(name string, err error) error {
	if err == nil {
		return nil
	}
	answer := minio.ToErrorResponse(err)
	switch {
	case answer.Code == minio.NoSuchKey || answer.Code == "" && answer.StatusCode == http.StatusNotFound:
		err = fs.ErrNotExist
	case answer.Code != "":
		err = fmt.Errorf("%s (%s)", strings.TrimSuffix(answer.Message, "."), answer.Code)
	}
	return fmt.Errorf("%s: %w", b.Address(name), err)
}
